//! truth: none: C++: tasks with objects of their own
#include <string>
#include <vector>
int main() {
    std::vector<std::string> out(4);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 4; i++) {
            std::string s = "task ";
#pragma omp task firstprivate(s, i) shared(out)
            out[i] = s + std::to_string(i);
        }
#pragma omp taskwait
        out[0] += out[3];
    }
    return out[0] != "task 0task 3";
}
