// SPDX-License-Identifier: GPL-3.0-or-later
//
// The task in GiNaC, which prints C but does not look for common subexpressions; so a small search is added
// here: every subexpression that occurs twice becomes a variable.  peer_ginac TASK OUT.c
#include <ctime>
#include <fstream>
#include <ginac/ginac.h>
#include <iostream>
#include <map>
#include <sstream>
using namespace GiNaC;

struct Sharing {
    std::map<ex, int, ex_is_less> uses;
    std::map<ex, symbol, ex_is_less> done;
    std::ostringstream lines;
    int n = 0;
    static bool leaf(const ex &e) { return is_a<symbol>(e) || is_a<numeric>(e) || is_a<constant>(e); }
    void count(const ex &e)
    {
        if (leaf(e) || ++uses[e] > 1)
            return;
        for (size_t i = 0; i < e.nops(); i++)
            count(e.op(i));
    }
    ex share(const ex &e)
    {
        if (leaf(e))
            return e;
        auto found = done.find(e);
        if (found != done.end())
            return found->second;
        ex parts = e;
        if (is_a<add>(e) || is_a<mul>(e)) {
            exvector v;
            for (size_t i = 0; i < e.nops(); i++)
                v.push_back(share(e.op(i)));
            parts = is_a<add>(e) ? ex(add(v)) : ex(mul(v));
        } else if (is_a<power>(e)) {
            parts = pow(share(e.op(0)), e.op(1));
        } else if (is_a<function>(e)) {
            ex x = share(e.op(0));
            parts = e.subs(e.op(0) == x, subs_options::no_pattern);
        }
        if (uses[e] < 2)
            return parts;
        symbol s("s" + std::to_string(n++));
        lines << "    const double " << s.get_name() << " = " << csrc_double << parts << ";\n";
        done.insert({e, s});
        return s;
    }
};

static void emit(std::ostream &o, const char *signature, const std::string &inputs, const std::vector<ex> &values)
{
    Sharing s;
    std::ostringstream results;
    for (const ex &e : values)
        s.count(e);
    for (size_t i = 0; i < values.size(); i++) {
        ex e = s.share(values[i]);
        results << "    out[" << i << "] = " << csrc_double << e << ";\n";
    }
    o << signature << ";\n" << signature << "\n{\n" << inputs << s.lines.str() << results.str() << "}\n";
}

static void table(std::ostream &o, const char *name, const std::vector<int> &place)
{
    o << "const int " << name << "_n = " << place.size() << ", " << name << "_place[] = {";
    for (int p : place)
        o << p << ", ";
    o << "0};\n";
}

static std::vector<symbol> symbols(symtab &names, const std::string &letter, int n)
{
    std::vector<symbol> list;
    for (int i = 0; i < n; i++) {
        symbol s(letter + std::to_string(i));
        list.push_back(s);
        names[s.get_name()] = s;
    }
    return list;
}

static std::string declare(const char *array, const std::vector<symbol> &list)
{
    std::ostringstream o;
    for (size_t i = 0; i < list.size(); i++)
        o << "    const double " << list[i].get_name() << " = " << array << "[" << i << "]; (void)" << list[i].get_name() << ";\n";
    return o.str();
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    std::ifstream in(argv[1]);
    std::string line;
    int n = 0;
    std::vector<std::string> T_text, U_text, g_text, shared;
    while (std::getline(in, line)) {
        std::string rest = line.substr(line.find(' ') + 1);
        if (line[0] == 'n')
            n = std::stoi(rest);
        else
            (line[0] == 'T' ? T_text : line[0] == 'U' ? U_text : line[0] == 'l' ? shared : g_text).push_back(rest);
    }
    int k = (int)g_text.size();
    symtab names;
    std::vector<symbol> q = symbols(names, "q", n), v = symbols(names, "v", n), a = symbols(names, "a", n), l = symbols(names, "l", k);
    symbol t("t");
    names["t"] = t;
    for (auto &s : shared) {            // name and formula
        size_t blank = s.find(' ');
        names[s.substr(0, blank)] = parser(names)(s.substr(blank + 1));
    }
    parser read(names);
    ex T = 0, U = 0;
    std::vector<ex> g;
    for (auto &s : T_text) T += read(s);
    for (auto &s : U_text) U += read(s);
    for (auto &s : g_text) g.push_back(read(s));

    std::clock_t start = std::clock();
    std::vector<ex> p, f, gv, gamma, E, J;
    std::vector<int> place_e, place_j;
    for (int i = 0; i < n; i++)
        p.push_back(T.diff(v[i]));
    matrix M(n, n), G(k, n);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            M(i, j) = M(j, i) = p[i].diff(v[j]);
            if (!M(i, j).is_zero()) {
                E.push_back(M(i, j));
                place_e.push_back(j * n + i);
            }
        }
    for (int i = 0; i < n; i++) {
        ex x = (T - U).diff(q[i]) - p[i].diff(t);
        for (int j = 0; j < n; j++)
            x -= p[i].diff(q[j]) * v[j];
        f.push_back(x);
        E.push_back(x);
        place_e.push_back(n * n + i);
    }
    for (int i = 0; i < k; i++) {
        E.push_back(g[i]);
        place_e.push_back(n * n + n + i);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < k; i++) {
            G(i, j) = g[i].diff(q[j]);
            if (!G(i, j).is_zero()) {
                E.push_back(G(i, j));
                place_e.push_back(n * n + n + k + j * k + i);
            }
        }
    for (int i = 0; i < k; i++) {
        ex x = g[i].diff(t), y;
        for (int j = 0; j < n; j++)
            x += G(i, j) * v[j];
        y = x.diff(t);
        for (int j = 0; j < n; j++)
            y += x.diff(q[j]) * v[j];
        E.push_back(y);
        place_e.push_back(n * n + n + k + k * n + i);
    }
    std::vector<ex> r;
    for (int i = 0; i < n; i++) {
        ex x = -f[i];
        for (int j = 0; j < n; j++)
            x += M(i, j) * a[j];
        for (int c = 0; c < k; c++)
            x += G(c, i) * l[c];
        r.push_back(x);
    }
    for (int b = 0; b < 2; b++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                ex d = r[i].diff(b ? v[j] : q[j]);
                if (!d.is_zero()) {
                    J.push_back(d);
                    place_j.push_back(b * n * n + j * n + i);
                }
            }
    std::ofstream o(argv[2]);
    o << "#include <math.h>\n";
    table(o, "peer_e", place_e);
    table(o, "peer_j", place_j);
    std::string time = "    const double t = *t_; (void)t;\n", qv = time + declare("q", q) + declare("v", v);
    emit(o, "void peer_e(const double *t_, const double *q, const double *v, double *out)", qv, E);
    emit(o, "void peer_j(const double *t_, const double *q, const double *v, const double *a, const double *lambda, double *out)",
         qv + declare("a", a) + declare("lambda", l), J);
    o.close();
    std::cout << (long)(1e3 * (double)(std::clock() - start) / CLOCKS_PER_SEC) << " GiNaC " << GINACLIB_MAJOR_VERSION << "."
              << GINACLIB_MINOR_VERSION << "." << GINACLIB_MICRO_VERSION << "\n";
    return 0;
}
