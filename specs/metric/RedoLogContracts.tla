---------------------------- MODULE RedoLogContracts ----------------------------
(***************************************************************************)
(* What service replicas, Metric processes and the redo log owe each       *)
(* other. The paper claims none of this; mutants of RedoLog that leave its *)
(* claims intact are caught here. For the reading TargetSet = "accessed"   *)
(* and a local tx-queue that is emptied on restart and on a nack.          *)
(***************************************************************************)
EXTENDS MCRedoLog

\* A process takes a table, then two: x is owned when both are wanted.
Growing == <<Update, Transfer>>

\* Constraint: the request of one number goes to the process of that number.
OneEach == \A m \in calls : m.proc = m.req

IsPrefix(q, s) == Len(q) <= Len(s) /\ q = SubSeq(s, 1, Len(q))
Record(p) == [req |-> job[p].req, keys |-> Work[job[p].req].writes, reads |-> result[p]]
\* p has its tables and works on a request.
AtWork(p) == pc[p] \in {"execute", "check", "localCommit", "append", "appending", "clear", "reply"}

-----------------------------------------------------------------------------
(* Service replicas *)

\* A request goes out once an attempt, and an attempt is known before it goes out.
CallInv == \A m \in calls :
  /\ 1 <= m.att /\ m.att <= client[m.req].att
  /\ \A n \in calls : m.req = n.req /\ m.att = n.att => m = n
  /\ \A p \in Procs : job[p] # [req |-> m.req, att |-> m.att]
AttemptInv == \A r \in Requests : client[r].att <= MaxAttempts /\ (client[r].att = 0) = (client[r].status = "new")
AttemptStep == [][\A r \in Requests : client'[r].att # client[r].att =>
  /\ client'[r].att = client[r].att + 1 /\ client'[r].status = "waiting"
  /\ client[r].status \in {"new", "waiting", "failed", "unknown"}
  /\ client[r].status = "new" => client'[r].after = Completed
  /\ \E m \in calls' \ calls : m.req = r /\ m.att = client'[r].att]_vars
\* Only a process that takes it up takes a call off the network. (A lost one stays there for ever.)
CallsStep == [][
  /\ \A m \in calls' \ calls : client'[m.req].att # client[m.req].att
  /\ \A m \in calls \ calls' : job'[m.proc] = [req |-> m.req, att |-> m.att]]_vars

\* `open` says that an earlier attempt may still take effect; it is never forgotten.
OpenInv == \A r \in Requests : ~client[r].open =>
  \A a \in 1..(client[r].att - 1) : \E m \in replies : m.req = r /\ m.att = a /\ m.kind = "failed"
OpenStep == [][\A r \in Requests : client'[r].open # client[r].open =>
  client'[r].open /\ client[r].status \in {"waiting", "unknown"} /\ client'[r].att = client[r].att + 1]_vars

\* What a client is told is the answer to its last attempt; "failed" only if no attempt is open.
ToldStep == [][\A r \in Requests : client'[r].status \notin {client[r].status, "waiting"} =>
  /\ client[r].status = "waiting"
  /\ \E m \in replies : /\ m.req = r /\ m.att = client[r].att /\ m.reads = client'[r].reads
                        /\ client'[r].status = (IF m.kind = "failed" /\ client[r].open THEN "unknown" ELSE m.kind)]_vars
\* A success stands, and nothing else brings results.
StandsStep == [][\A r \in Requests :
  /\ client'[r].reads # {} => client'[r].status = "ok"
  /\ client[r].status = "ok" => client'[r] = client[r]
  /\ client[r].status # "new" => client'[r].status # "new" /\ client'[r].after = client[r].after]_vars

-----------------------------------------------------------------------------
(* Metric processes *)

PcStep == [][\A p \in Procs : pc'[p] # pc[p] => <<pc[p], pc'[p]>> \in
  {<<"idle", "own">>, <<"idle", "execute">>, <<"own", "populate">>, <<"populate", "execute">>,
   <<"execute", "localCommit">>, <<"execute", "check">>, <<"execute", "reply">>, <<"check", "reply">>,
   <<"localCommit", "append">>, <<"append", "appending">>, <<"appending", "clear">>, <<"clear", "reply">>}
  \/ pc'[p] = "idle"]_vars
\* Each kind of request takes its way.
KindInv == \A p \in Procs :
  /\ pc[p] \in {"localCommit", "append", "appending", "clear"} => ~ReadOnly(job[p].req)
  /\ pc[p] = "check" => ReadOnly(job[p].req)
PathStep == [][\A p \in Procs :
  /\ pc[p] = "execute" /\ pc'[p] = "reply" =>
       Known(p, job[p].req) # {} \/ (ReadOnly(job[p].req) /\ ~Repaired("readCheck"))
  /\ pc[p] = "execute" /\ pc'[p] = "localCommit" => ~Repaired("dedupe") \/ Known(p, job[p].req) = {}
  /\ pc[p] = "check" /\ pc'[p] = "reply" => HoldsLock(p)]_vars

\* A process works on a request that was sent, and else on none.
JobInv == \A p \in Procs :
  /\ (pc[p] = "idle") = (job[p] = NoJob)
  /\ pc[p] # "idle" => job[p].att \in 1..client[job[p].req].att
  /\ \A q \in Procs : job[p] = job[q] /\ job[p] # NoJob => p = q
JobStep == [][\A p \in Procs : job'[p] # job[p] =>
  \/ job'[p] = NoJob
  \/ /\ pc[p] = "idle"
     /\ \E m \in calls \ calls' : m.proc = p /\ job'[p] = [req |-> m.req, att |-> m.att]]_vars

\* What it believes to own is its entry's table-set, and covers what it works on.
OwnedInv == \A p \in Procs :
  /\ owned[p] = IF mine[p] = 0 THEN {} ELSE log[mine[p]].tables
  /\ fresh[p] = IF pc[p] = "populate" THEN owned[p] ELSE {}
  /\ pc[p] = "populate" \/ AtWork(p) => mine[p] # 0 /\ Target(job[p].req) \subseteq owned[p]
  /\ mine[p] # 0 => \A e \in DOMAIN log : log[e].lock = p => e = mine[p]
\* It keeps its tables until it gives them back, fails, or needs others.
KeepStep == [][\A p \in Procs :
  /\ mine'[p] \notin {mine[p], 0} => pc[p] = "own" /\ mine'[p] = Len(log')
  /\ pc[p] = "idle" /\ pc'[p] = "own" => ~(Target(job'[p].req) \subseteq owned[p])
  /\ mine[p] # 0 /\ mine'[p] = 0 =>
       \/ pc[p] = "idle" /\ (faults'.crashes > faults.crashes \/ log'[mine[p]].lock # p)
       \/ pc[p] # "idle" /\ pc'[p] = "idle" /\ log' = log
            /\ (faults'.crashes > faults.crashes \/ replies' # replies)]_vars

\* A result is the requested records of the local database, or what the log says of the request.
ResultInv == \A p \in Procs :
  /\ pc[p] \in {"idle", "own", "populate", "execute"} => result[p] = {}
  /\ pc[p] \in {"check", "localCommit", "append", "appending", "clear", "reply"} =>
       {x[1] : x \in result[p]} = Work[job[p].req].reads
ResultStep == [][\A p \in Procs : result'[p] # result[p] /\ pc'[p] # "idle" =>
  /\ pc[p] = "execute"
  /\ \/ result'[p] = {<<k, db[p][k]>> : k \in Work[job[p].req].reads}
     \/ Repaired("dedupe") /\ \E x \in Known(p, job[p].req) : result'[p] = log[x[1]].queue[x[2]].reads]_vars

\* The local database changes when it is populated, with what the log says, and by a local commit.
DbStep == [][\A p \in Procs :
  /\ pc[p] = "populate" /\ pc'[p] = "execute" =>
       \A k \in Keys : db'[p][k] = IF k \in owned[p] THEN KnownValue(p, k) ELSE db[p][k]
  /\ pc[p] = "localCommit" /\ pc'[p] = "append" =>
       \A k \in Keys : db'[p][k] = IF k \in Work[job[p].req].writes THEN job[p].req ELSE db[p][k]
  /\ db'[p] # db[p] => <<pc[p], pc'[p]>> \in {<<"populate", "execute">>, <<"localCommit", "append">>}]_vars
\* The local tx-queue has the running transaction's records from local commit to clearing, and else nothing.
LocalQueueInv == \A p \in Procs :
  localQueue[p] = IF pc[p] \in {"append", "appending", "clear"} THEN <<Record(p)>> ELSE <<>>

\* A process answers what it works on, and ends with that; a failure is definite unless an append is out.
ReplyInv == \A m \in replies :
  /\ m.att \in 1..client[m.req].att
  /\ m.kind = "ok" /\ ~ReadOnly(m.req) => \E x \in Logged(m.req) : m.reads = log[x[1]].queue[x[2]].reads
  /\ m.kind # "ok" => m.reads = {}
ReplyStep == [][
  /\ replies \subseteq replies'
  /\ \A m \in replies' \ replies : \E p \in Procs :
       /\ job[p] = [req |-> m.req, att |-> m.att] /\ job'[p] = NoJob
       /\ (m.kind = "ok") = (pc[p] = "reply")
       /\ m.kind = "ok" => m.reads = result[p]
       /\ (m.kind = "unknown") = (pc[p] = "appending" /\ Repaired("unknown"))
       /\ pc[p] \in {"reply", "own", "localCommit", "append", "appending", "check"}
       /\ pc[p] = "check" => ~HoldsLock(p)
  /\ \A p \in Procs : pc[p] = "reply" /\ pc'[p] = "idle" => replies' # replies \/ faults' # faults
                      \/ \E m \in replies : m.req = job[p].req /\ m.att = job[p].att]_vars
\* Nobody waits for ever for a lock that nobody took away.
PatienceStep == [][\A p \in Procs :
  pc[p] \in {"own", "localCommit"} /\ pc'[p] = "idle" => Timeouts \/ faults' # faults]_vars

\* A process that waits for nobody's lock goes on, preempted or not: where it has to hold its lock, it learns that it doesn't.
GoesOnInv == \A p \in Procs :
  CASE pc[p] = "idle"        -> \A m \in calls : m.proc = p => ENABLED ReceiveCall(p, m)
    [] pc[p] = "own"         -> /\ \A k \in Target(job[p].req) : log[Latest(k)].lock \in {Nobody, p}
                                /\ \A k \in Used(p) : Latest(k) = mine[p]
                                => \E applied \in BOOLEAN : ENABLED Own(p, applied)
    [] pc[p] = "populate"    -> ENABLED Populate(p)
    [] pc[p] = "execute"     -> ENABLED Execute(p) \/ ENABLED AnswerFromLog(p)
    [] pc[p] = "check"       -> IF HoldsLock(p) THEN ENABLED CheckRead(p) ELSE ENABLED Nack(p)
    [] pc[p] = "localCommit" -> ENABLED LocalCommit(p)
    [] pc[p] = "append"      -> ENABLED SendAppend(p)
    [] pc[p] = "appending"   -> IF HoldsLock(p) THEN ENABLED AppendDone(p) ELSE ENABLED Nack(p)
    [] pc[p] = "clear"       -> ENABLED ClearLocalQueue(p)
    [] pc[p] = "reply"       -> ENABLED ReplyOk(p)

\* Nothing that a transaction has read outlasts it.
BlankInv == \A p \in Procs : pc[p] = "idle" => result[p] = {} /\ fresh[p] = {}
\* Of a transaction that comes query by query (Led, repair unbroken): a later query takes along what the earlier ones have
\* used, which nobody has had since, and which is not populated again under the open local transaction.
LaterStep == [][\A p \in Procs : pc[p] = "own" /\ pc'[p] = "populate" =>
  /\ Used(p) \subseteq owned'[p] /\ Used(p) \intersect fresh'[p] = {}
  /\ \A k \in Used(p) : Latest(k) = mine[p]]_vars

-----------------------------------------------------------------------------
(* The redo log *)

\* A new entry is its maker's, for what it needs; the entries before it are free and settled.
EntryStep == [][Len(log') # Len(log) =>
  /\ Len(log') = Len(log) + 1
  /\ \E p \in Procs :
       LET new == log'[Len(log')]
       IN  /\ pc[p] = "own" /\ new.lock = p /\ new.tables = Target(job[p].req)
           /\ new.queue = <<>> /\ new.sent = <<>>
           /\ \A k \in new.tables : /\ log[Latest(k)].lock \in {Nobody, p}
                                    /\ log'[Latest(k)].lock = Nobody /\ log'[Latest(k)].sent = <<>>]_vars
\* Queues grow by what was sent, and by the hand of the lock's holder or its successor.
QueueStep == [][\A e \in DOMAIN log :
  /\ log'[e].tables = log[e].tables
  /\ log'[e].queue # log[e].queue =>
       /\ log'[e].queue = log[e].queue \o log[e].sent /\ log'[e].sent = <<>>
       /\ \/ \E p \in Procs : mine[p] = e /\ HoldsLock(p) /\ pc[p] = "appending" /\ pc'[p] = "clear"
          \/ Len(log') > Len(log)
  /\ log'[e].sent # log[e].sent /\ log'[e].sent # <<>> => \E p \in Procs :
       mine[p] = e /\ HoldsLock(p) /\ pc[p] = "append" /\ log'[e].sent = localQueue[p]
  /\ log'[e].sent # log[e].sent /\ log'[e].sent = <<>> =>
       log'[e].queue # log[e].queue \/ \E k \in log'[Len(log')].tables : Len(log') > Len(log) /\ e = Latest(k)]_vars
\* What is being appended has gone out.
SentInv == \A p \in Procs : pc[p] = "appending" /\ HoldsLock(p) => log[mine[p]].sent = localQueue[p]
\* Locks are given with new entries; they are given back, replaced, or taken away, which is counted.
LockStep == [][\A e \in DOMAIN log : log'[e].lock # log[e].lock =>
  /\ log'[e].lock = Nobody
  /\ \/ mine[log[e].lock] = e /\ mine'[log[e].lock] # e
     \/ Len(log') > Len(log) /\ log'[Len(log')].lock = log[e].lock
     \/ faults'.expiries = faults.expiries + 1]_vars
FaultsInv == faults.expiries <= MaxExpiries /\ faults.crashes <= MaxCrashes
FaultsStep == [][faults' # faults =>
  \/ faults' = [faults EXCEPT !.expiries = @ + 1] /\ log' # log
  \/ faults' = [faults EXCEPT !.crashes = @ + 1] /\ \E p \in Procs : pc[p] # "idle" \/ mine[p] # 0]_vars
===============================================================================
