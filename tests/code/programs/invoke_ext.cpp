struct name {
    const char *text;
    unsigned long length;
};
struct base {
    virtual int get(int) = 0;
    virtual ~base();
};
base::~base() {}
struct derived : base {
    int get(int n) override {
        if (n == 3)
            throw 9;
        return n + 6;
    }
};
int may_throw(int n) {
    if (n == 2)
        throw 5;
    return n;
}
name named(int n) { return {"x", static_cast<unsigned long>(n)}; }
base *make() {
    static derived d;
    return &d;
}
