// SPDX-License-Identifier: 0BSD
// The library from C++: a class that owns a simulation and throws what went wrong.
#include <mbs/mbs.h>

#include <cstdio>
#include <stdexcept>

extern "C" const struct mbs_model pendulum_model;

class Simulation {
public:
    explicit Simulation(const mbs_model &model)
    {
        struct mbs_options opt;
        struct mbs_message why;
        mbs_options_init(&opt, &model);
        if (mbs_new(&sim_, &model, NULL, &opt, &why) != MBS_OK)
            throw std::runtime_error(why.text);
        check(mbs_assemble(sim_, 0));
    }
    ~Simulation() { mbs_free(sim_); }
    void advance(double t) { check(mbs_advance(sim_, t)); }
    const struct mbs_state &state() const { return *mbs_state(sim_); }

private:
    Simulation(const Simulation &);
    Simulation &operator=(const Simulation &);
    void check(int status)
    {
        if (status != MBS_OK)
            throw std::runtime_error(mbs_message(sim_)->text);
    }
    struct mbs_sim *sim_;
};

int main()
{
    try {
        Simulation s(pendulum_model);
        for (int i = 0; i <= 10; i++) {
            s.advance(i);
            std::printf("%4.1f %12.8f\n", s.state().t, s.state().q[0]);
        }
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
