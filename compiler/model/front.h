/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside the check.  It runs in two passes over the statements:
 *   declare  runs the control statements (if, for, include), declares every name and puts the
 *            statements that state physics into a queue, each with the scope it stands in;
 *   define   evaluates the queue: constraints first (they bring the multipliers), then states, energies,
 *            forces, start values, outputs.
 * A `let` is evaluated when it is first needed, so that it may use what is declared further down.
 *
 * A value is an array of scalars with a shape; each scalar has its own dimension.  A value that could
 * not be found has no elements: the fault is reported already, and whatever uses it stays silent.
 */
#ifndef MODEL_FRONT_H
#define MODEL_FRONT_H
#include "model/check.h"
#include "model/unit.h"

struct scalar {
    Expr e;
    struct dim dim;
};
struct value {
    int rank;                   /* 0 scalar, 1 vector, 2 matrix */
    int rows, cols;             /* 1 where the rank is smaller */
    bool truth;                 /* a condition: true or false */
    struct scalar *at;          /* rows*cols, row after row; NULL: faulty */
};
#define VALUE_NONE ((struct value){0})

enum entry_kind {
    ENTRY_VALUE,                /* anything that has its value from its declaration */
    ENTRY_LET,                  /* evaluated when needed */
    ENTRY_FAMILY,               /* let a[i]: the members are entries named a[1], a[2], ... */
    ENTRY_FUNCTION,
    ENTRY_CALL,                 /* table or extern */
    ENTRY_JOINT,                /* a joint's coordinate by its own name */
    ENTRY_COMPONENT
};
enum progress { NOT_YET, ACTIVE, DONE };
struct entry {
    const char *name;           /* interned */
    enum entry_kind kind;
    enum ast_word word;         /* of the statement that declares it */
    struct span span;
    bool used;
    struct value value;
    enum progress progress;     /* LET, FUNCTION */
    const struct ast_item *item;        /* LET */
    const struct ast_stmt *stmt;        /* FUNCTION, CALL */
    struct scope *scope;        /* where its definition is evaluated */
    int fn;                     /* CALL */
    int part, slot;             /* JOINT: which, and which of its coordinates */
    struct entry *next;         /* in order of declaration, within the scope */
};
struct scope {
    struct scope *parent;
    struct entry **table;       /* open addressing, size a power of two */
    unsigned size, n;
    struct entry *first, *last;
    bool is_file;               /* of the whole model: parameters, coordinates ... go here */
    const char *prefix;         /* of a use of a component: what is declared inside is prefix.name */
};

struct pending {
    const struct ast_stmt *stmt;
    struct scope *scope;
};
struct constraint_group {       /* one constraint statement */
    const char *name;
    struct span span;
    int rank, rows, cols;       /* shape of its equation */
    struct constraint_row { int row; bool holonomic; Expr g; struct dim dim; const char *name; } *at;
};
struct output_note {            /* taken result names */
    const char *name;
    struct span span;
};
struct state_equation {
    const struct ast_expr *target, *value;
    struct scope *scope;
    struct span span;
    enum progress progress;
};
struct coord_note {             /* where a coordinate's start values were given, and its dimension */
    struct span q, v;
    struct dim dim;
};

/* What is known when all statements are read (unknown.c): a component of a joint's reaction, of what a constraint row does, of inverse(a). */
enum unknown_kind { UNKNOWN_REACTION, UNKNOWN_ROW, UNKNOWN_INVERSE };
struct unknown {
    enum unknown_kind kind;
    struct span span;
    Expr sym;                   /* stands for it until then */
    int joint, part;            /* REACTION: force 0 to 2, moment 3 to 5; INVERSE: the coordinate */
    const char *row;            /* ROW: minus the multiplier of the constraint of this name */
    Expr factor;                /* ... times this */
    const Expr *wish;           /* INVERSE: accelerations */
};
struct virtual_pair {           /* a symbol that is zero, by which powers are told apart, and what its rate is */
    Expr symbol, rate;
};

struct hand {                   /* that pulls (handle.c): inputs, 0 before the first handle */
    bool begun;
    struct vec at, to;
    Expr lag;
    int handles;
};

struct check;
/* What evaluation asks the stages above it for: the motions of a mechanism, the rates of states. */
struct check_up {
    struct value (*member)(struct check *, struct scope *, const struct ast_expr *);    /* K.P */
    struct value (*place)(struct check *, struct scope *, const struct ast_expr *);     /* K @ [x, y] */
    struct value (*coordinate)(struct check *, struct span, int joint, int slot);
    bool (*no_value)(struct check *, struct scope *, const struct ast_expr *);          /* a part: says that it is no value */
    Expr (*state_rate)(struct check *, struct span, int state);         /* 0 after an error */
    void (*reactions)(struct check *, Expr *value);     /* of the unknowns but those of inverse dynamics; may contain virtual symbols */
};

struct check {
    const struct check_up *up;
    struct compilation *c;
    struct arena *arena;
    struct diags *diags;
    struct pool *pool;
    struct model *m;
    struct scope *file;
    struct { struct pending *at; int n, cap; } queue;
    struct { struct entry **at; int n, cap; } lets;
    struct { const struct source **at; int n, cap; } reading, included;
    struct { struct constraint_group *at; int n, cap; } groups;
    struct { struct state_equation *at; int n, cap; } equations;
    struct { struct coord_note *at; int n, cap; } coords;
    struct { struct dim *at; int n, cap; } state_dims;
    struct { int *at; int n, cap; } state_equation;     /* of each state, or -1 */
    struct { const char **at; int n, cap; } options;    /* declared ones */
    struct { struct output_note *at; int n, cap; } outputs;
    struct direction *flow, *flow_z;    /* time derivative, without and with states */
    const struct ast_block *tree;       /* of the main file */
    const struct ast_stmt *model_stmt, *simulate_stmt;
    struct mechanism *mech;     /* mechanism.h */
    bool has_units;             /* some unit is written in the model: then time is in seconds */
    bool reactions;             /* somebody asks for J.reaction or J.moment */
    bool ready;                 /* all coordinates are known */
    struct { struct unknown *at; int n, cap; } unknown;
    struct { struct virtual_pair *at; int n, cap; } virtual;
    struct hand hand;
    bool multipliers;           /* the constraints are complete, lambda() may be used */
    int depth;
    int using;                  /* components inside each other */
    struct { struct scope **at; int n, cap; } uses;     /* scopes of used components, hashed by prefix; cap a power of two */
    int64_t work;               /* scalars made so far */
    bool stopped;
};
enum {
    CHECK_DEEPEST = 1000,       /* nested evaluations: operators, functions, lets */
    CHECK_LARGEST = 1 << 20,    /* scalars in one value, turns of one loop */
    CHECK_WORK = 1 << 23,       /* scalars made in all; what costs more memory counts more */
    CHECK_TURN = 16,            /* so much counts a turn of a loop, a declaration, a call */
    CHECK_COORDINATES = 1 << 14,        /* what depends on what takes their square in bits */
    CHECK_COORDS = 1 << 17      /* coordinates, parameters, rows of each kind */
};

/* --- scope.c --- */
struct scope *scope_new(struct check *, struct scope *parent);
/* The scope of a used component by its whole (interned) name; NULL if there is none.  Adding it. */
struct scope *use_at(const struct check *, const char *prefix);
void use_add(struct check *, struct scope *);
struct entry *scope_find(const struct scope *, const char *name);           /* here and in the parents */
struct entry *scope_find_here(const struct scope *, const char *name);
/* A new entry; if the name is taken, that is reported and the result NULL. */
struct entry *scope_declare(struct check *, struct scope *, const char *name, struct span, enum ast_word,
                            enum entry_kind);
void scope_mark_used(struct check *, struct scope *, const struct ast_block *);     /* names in a block not taken */
bool is_builtin_constant(const char *name);
/* Where a statement of this scope declares quantities of the model, and the full name they get. */
struct scope *scope_of_model(const struct check *, struct scope *);
const char *full_name(struct check *, const struct scope *, const char *name);
/* If there are more errors than before: says in which turn of which loop. */
void note_turn(struct check *, const struct scope *, int errors_before);

/* --- value.c --- */
bool check_work(struct check *, struct span, int64_t scalars);      /* false: too much, reported */
struct value value_new(struct check *, struct span, int rank, int rows, int cols);
struct value value_scalar(struct check *, Expr, struct dim);
struct value value_truth(struct check *, Expr);
struct value value_number(struct check *, double);
/* A pure number, an angle; not known in a model without units. */
struct dim dim_pure(const struct check *);
struct dim dim_of_angle(const struct check *);
const char *shape_show(const struct value *, struct arena *);       /* "a vector of 3" */
bool value_same_shape(const struct value *, const struct value *);
struct value value_add(struct check *, struct span, struct value, struct value, bool subtract);
struct value value_mul(struct check *, struct span, struct value, struct value);
struct value value_div(struct check *, struct span, struct value, struct value);
struct value value_pow(struct check *, struct span, struct value, struct value);
struct value value_neg(struct check *, struct value);
struct value value_dot(struct check *, struct span, struct value, struct value);
/* Total time derivative; reports what has none. */
struct value value_prime(struct check *, struct span, struct value);
/* The Expr is a finite number (or no number); else that is reported. */
bool expr_is_finite(struct check *, struct span, Expr);
/* Exact integer value of a scalar without symbols. */
bool value_integer(const struct check *, const struct value *, int64_t *);
bool value_is_constant(const struct check *, const struct value *);

/* --- note.c --- */
/* After an error: e is in `got`, not in `want`; says what to do if a number without a unit may be the reason. */
bool note_number(struct check *, const struct ast_expr *e, struct dim want, struct dim got);
/* The factor of e that a note would name; NULL: none.  *below: it divides. */
const struct ast_expr *bare_factor(const struct ast_expr *e, bool *below);

/* What a word of another tool is here (hints.def): a sentence about a name; the word that is known in its place; NULL: nothing. */
const char *note_name(const char *word);
const char *note_word(const char *word, bool (*known)(const void *, const char *), const void *of);

/* --- eval.c --- */
struct value eval(struct check *, struct scope *, const struct ast_expr *);
struct value eval_scalar(struct check *, struct scope *, const struct ast_expr *, const char *what);
/* A whole number known at compile time between low and high. */
bool eval_integer(struct check *, struct scope *, const struct ast_expr *, const char *what, int64_t low, int64_t high,
                  int64_t *);
bool eval_condition(struct check *, struct scope *, const struct ast_expr *, bool *);
/* The name a[1,2] of an indexed name in this scope, interned; NULL after an error. */
const char *eval_name(struct check *, struct scope *, const struct ast_expr *);
void entry_evaluate(struct check *, struct entry *);
/* What a name, a member name[i] of a family, or one of these in a used component (arm.name[i]) stands for; NULL: none. */
struct entry *entry_find(struct check *, struct scope *, const struct ast_expr *);
struct value eval_entry(struct check *, struct entry *, struct span);
/* All elements of e's value agree with the dimension, else an error "WHAT must be in X, but it is Y". */
bool value_fits(struct check *, const struct ast_expr *e, const struct value *, struct dim, const char *what);
/* The value in the unit that is declared for it (a NULL unit: any): other units are refused, bare numbers
 * take it. */
struct value value_in_unit(struct check *, const struct ast_expr *unit, struct value, const struct ast_expr *, const char *what);
/* The value of a name that is declared without a unit: what is a bare number may be anything from now on. */
struct value value_of_name(struct check *, struct value);
/* Kinds of symbols (bits) in the value beyond those allowed; the first name that brings one is reported
 * as not allowed in `where`. */
bool value_allows(struct check *, struct scope *, const struct ast_expr *, const struct value *, unsigned allowed,
                  const char *where);

/* --- builtin.c --- */
bool is_builtin_function(const char *name);
const char *builtin_name(int i);        /* all of them; NULL ends them */
void builtin_suggest(struct suggestion *);
bool builtin_takes(struct check *, const struct ast_expr *call);        /* so many arguments */
struct value builtin_run(struct check *, const struct ast_expr *call, struct value *arg);
struct value builtin_lambda(struct check *, struct scope *, const struct ast_expr *call, const char *name);

/* --- unknown.c --- */
Expr unknown_new(struct check *, struct unknown, const char *name);
struct value unknown_inverse(struct check *, const struct ast_expr *call, const struct value *);
void unknown_resolve(struct check *);           /* at the end of all */
Expr terms_sum(struct pool *, int n, const struct model_term *);

/* --- add.c --- */
/* A new coordinate: its index. */
int coord_add(struct check *, const char *name, const char *unit, struct dim, struct span);
/* A new discrete state that elements bring: a parameter which events change. */
Expr discrete_add(struct check *, const char *name, struct span, Expr start);
/* A state that nobody has declared, zero at the start; its symbol. */
Expr state_add(struct check *, const char *name, struct dim, struct span, Expr rate);
/* A new entry for `name` in the scope `where` or, in the scope of the model, for the member name[i] of a family; NULL
 * after an error. */
struct entry *declare_member(struct check *, struct scope *, struct scope *where, const struct ast_expr *target,
                             enum ast_word, enum entry_kind);
/* A start value of what is no coordinate itself: value - given = 0, on positions or linear in velocities. */
bool is_linear_in_velocities(struct check *, Expr);
void condition_keep(struct check *, const struct model_condition *);
void condition_add(struct check *, const struct ast_item *, const char *name, Expr value, struct dim);

/* --- file.c --- */
/* The file named by a string: beside the file that names it, then along the search path; paths are
 * relative and without surprises.  NULL after an error. */
const struct source *file_find(struct check *, const struct ast_expr *string);

/* --- table.c --- */
struct model_table *table_read(struct check *, struct scope *, const struct ast_stmt *, struct unit x, struct unit y);

/* --- mechanism.c: bodies and joints; see mechanism.h --- */
void mech_init(struct check *);
void mech_setting(struct check *, struct scope *, const struct ast_stmt *);
void mech_declare(struct check *, struct scope *, const struct ast_stmt *);
void mech_build(struct check *);
void mech_force(struct check *, const struct pending *);        /* force NAME: on ... */
void mech_seat_forces(struct check *);  /* once there are multipliers */
void mech_finish(struct check *);       /* after the start values */
void mech_fini(struct check *);
/* K.P, K.omega, J.angle; reports what there is not. */
struct value mech_member(struct check *, struct scope *, const struct ast_expr *);
struct value mech_place(struct check *, struct scope *, const struct ast_expr *);       /* K @ [x, y] */
struct value mech_coordinate(struct check *, struct span, int joint, int slot);
bool mech_no_value(struct check *, struct scope *, const struct ast_expr *);
/* A start value of a joint's coordinate that is none of the model's (absolute coordinates, closed loops); false: it is no such
 * thing. */
bool mech_start(struct check *, struct scope *, const struct ast_item *);
/* The same for the pose of a body: K = at(...). */
bool mech_pose(struct check *, struct scope *, const struct ast_item *);

/* --- declare.c, define.c --- */
void declare_block(struct check *, struct scope *, const struct ast_block *);
void define_all(struct check *);
/* event.c: when, every */
void define_event(struct check *, const struct pending *);
/* contact.c: a one-sided constraint; rows of a contact, normal (0: none) and tangents */
void define_inequality(struct check *, const struct pending *);
void contact_add(struct check *, const struct model_contact *, Expr normal, int tangents, const Expr *tangent, struct dim normal_dim);
/* A body of a crowd: rows by name, unit and whether they are positions; the end is a NULL name. */
struct pose_row {
    const char *name, *unit;
    bool position;
    Expr value;
};
void pose_add(struct check *, const struct model_contact *, const struct pose_row *);
/* draw.c: the shapes and points of the drawing */
void define_drawing(struct check *);
Expr state_rate(struct check *, struct span, int state);    /* 0 after an error */
/* What conditions and rates of states may depend on: all that is known along a motion. */
enum { MAY_REACT = DEP(SYM_PARAM) | DEP(SYM_TIME) | DEP(SYM_Q) | DEP(SYM_V) | DEP(SYM_A) | DEP(SYM_LAMBDA) | DEP(SYM_Z) | DEP(SYM_U) };
#endif
