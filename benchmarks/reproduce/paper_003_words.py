"""What we say to the figures and tables of paper 003: where we differ, and why."""

from benchmarks.reproduce.figure import Rows

OURS = """\
Time is the processor's, with NumPy; the paper's is that of a C program on a Pentium III of 900 MHz. The
curves of its figures cannot be read in our copy: the claims are those of the text around them."""


def predicates(rows: Rows) -> str:
    return f"""{OURS}

- **The number of different predicates is set**, and subscriptions are drawn until so many are expected;
  the page's column says how many there were. W0 has 120,000 in all.
- **Time is that of stage one**, the event's 120 values brought into its form included: that part is the
  same for all, and is most of what a thousand predicates cost.
- **Our list is a sorted array**, found into by binary search, with what holds in one piece behind; the
  paper's is a linked list that is walked from its beginning. So a list costs only what it finds; a table
  has to be read from the event's value to its end, empty cells too, and can only win where nearly all of
  its cells are in use.
- **Memory** is four bytes for a cell of a table and twelve for a predicate in a list, so tables take less
  from a third of their cells on. A table reaches from its least value to its greatest, so one of few
  predicates is smaller than its domain."""


def counting(rows: Rows) -> str:
    return f"""{OURS}

- **W4 has 400 different predicates** (10 attributes, 4 operators, 10 values), of which an event satisfies
  about 190, and 17.6% of the subscriptions match. So lists of a million subscriptions have 1.4 million
  entries to be counted for an event, in no order of memory; a matrix has 190 rows to be added from end to
  end. That is what a processor of today likes better than one of 2002, so lists lose their lead as
  hits no longer fit into its cache.
- **Bits** are added 64 at a time, as binary numbers in planes, which takes several operations for a word;
  bytes are added by instructions that take 32 at a time, which the paper's program hardly used."""


def memory(rows: Rows) -> str:
    return """\
Bytes of who has which predicate, without the predicates themselves and without the subscriptions' texts
and ids, which are the same for all. For the database it is all that its relations take, as it says itself:
predicates included. PostgreSQL, which `dbms-grouping` runs in too, is not measured here, since it wants a
server.

Most of the 4,400 KB that Kdb took for a thousand subscriptions is probably what it needs to be there, as
nearly all of DuckDB's 4 MB is. In memory DuckDB does not compress: a pair of subscription and predicate is
two integers of four bytes, three pairs make 27 bytes with what is kept about blocks of them, and the
subscriptions with their index are the rest. So it takes a quarter of the paper's gigabyte for 5 million, and
less than the bits, which are 50 bytes for a subscription. The paper measures the resident size of a process;
ours is what the relations take."""


def databases(rows: Rows) -> str:
    return f"""{OURS}

- **The paper does not say which of its two algorithms Kdb ran**: its crosses are beside DuckDB by
  grouping, the faster one, in memory and on one thread as Kdb was. DuckDB is a column store too.
- **The factor between database and lists** is smaller than the paper's: DuckDB works on vectors of 2,048
  values, and its query for an event is planned and executed in the same process.
- **Lists of predicates** (`predicates="list"`) make hardly a difference on W4, whose domains have ten values:
  stage one is a small part. Where the total differs, it is stage two that does, though it is the same then:
  such differences are the machine's."""


def loading(rows: Rows) -> str:
    return """\
All are loaded at once from arrays in memory; the paper has Kdb read a file and the others add one
subscription after the other. Its lists grow by a constant amount and are copied each time, which is why
they take 45 minutes for 5 million; ours are made by sorting all pairs, once. Part of our time is the same
for all: numbering the conjunctions and compiling their predicates. Time is the processor's.

The last figure of the paper's column for lists stands as "< 2678858"."""
