//! truth: none: C++: a vector filled in parallel, a sum, exceptions that stay inside
#include <stdexcept>
#include <vector>
struct counter {
    int n = 0;
    void add(int x) {
#pragma omp critical(counter)
        n += x;
    }
};
int main() {
    std::vector<int> v(10);
    counter c;
    int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 10; i++) {
        v[i] = i;
        try {
            if (i == 3)
                throw std::runtime_error("three");
        } catch (const std::exception &) {
            c.add(100);
        }
        c.add(1);
        sum += v[i];
    }
    return !(sum == 45 && c.n == 110);
}
