// solve/certify_trace.cc: CaDiCaL with a proof. Its C interface has no trace_proof, so these few functions are C++.
//
// Clauses are added between the calls of solve. What CaDiCaL takes away because a solution can be repaired later
// (elimination, blocked and covered clauses, equivalent literals) it brings back without a reason when such
// a clause comes; so all of that is switched off, and every line of the proof follows by unit propagation.
#include <cadical.hpp>

#include <ctime>

namespace {

struct until : CaDiCaL::Terminator {
    double seconds = 0;
    bool terminate() override {
        timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return seconds > 0 && double(t.tv_sec) + double(t.tv_nsec) / 1e9 > seconds;
    }
};

} // namespace

extern "C" {

struct au_traced {
    CaDiCaL::Solver solver;
    until limit;
};

au_traced *au_traced_new(const char *path, double until) {
    static const char *const off[] = {"elim", "block", "cover", "condition", "decompose", "instantiate",
                                      "lucky", "walk"};
    au_traced *t = new au_traced;
    t->solver.set("quiet", 1);
    for (const char *option : off)
        t->solver.set(option, 0);
    if (!t->solver.trace_proof(path)) {
        delete t;
        return nullptr;
    }
    t->limit.seconds = until;
    t->solver.connect_terminator(&t->limit);
    return t;
}

void au_traced_reserve(au_traced *t, int n_vars) {
    t->solver.reserve(n_vars);
}

void au_traced_add(au_traced *t, int lit) {
    t->solver.add(lit);
}

int au_traced_solve(au_traced *t) {
    return t->solver.solve();
}

int au_traced_value(au_traced *t, int lit) {
    return t->solver.val(lit) > 0;
}

void au_traced_free(au_traced *t) {
    t->solver.disconnect_terminator();
    t->solver.close_proof_trace();
    delete t;
}
}
