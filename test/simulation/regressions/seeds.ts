import type { SizeName } from "../plan/size.ts";
import type { Worlds } from "../plan/worlds.ts";

/** Seeds of one kind of worlds in which something went wrong once. */
interface Regressions {
  readonly worlds: Worlds;
  /** Of deliveries. */
  readonly size?: SizeName;
  /** By seed. */
  readonly found: Readonly<Record<number, string>>;
}

/** Run with every test. A seed decides the same world only as long as plans are drawn the same way: with another way, look for others. */
export const REGRESSIONS: readonly Regressions[] = [
  {
    worlds: "steady_deliveries",
    size: "small",
    found: {
      3003587:
        "a consumer that was stopped while its client made its fetchers anew spun for ever, as the client's do",
      5000260: "a fetch of a frozen process brought it what was written while it was frozen, which none does",
      6003840:
        "a router whose assignment was lost on its way fetched what it had before, stepped nothing, and never asked again",
      6004078: "the same, after the group had missed another router",
    },
  },
  {
    worlds: "steady_deliveries",
    size: "large",
    found: {
      8: "a job put off by a limit of 30 a second was due at a fraction of a millisecond, which no record holds: it died",
      78: "a dead letter that was counted while the clock was ahead held its commit for the whole jump",
      329: "a control process that stopped gave its running replay back, was given it at once, and did so for ever",
      552: "a wake cursor covered jobs that retention had removed and the topic's reader had in hand: they were dropped",
      5000420:
        "a member that was missed handed records on, as its clock had been set back since it was last answered",
    },
  },
  {
    worlds: "steady_deliveries",
    found: {
      3558: "the law asked for order of a call that had died while its destination was off, and was read again",
      3697: "the law took the place of a job's first record, which retention had removed unread",
      10270:
        "a deliverer that was stopped while it opened partitions called it an error that its table was closed",
      19183:
        "the law asked for order of a call that a second routing brought to a destination that was on again",
      22165:
        "the law asked for order of a call whose retry could not be written before its process was killed",
      30853: "a late commit came to a broker over a connection that had broken, and took back a newer one",
      33604:
        "the law asked who may deliver twice, and not of a member that could not know yet that it was missed",
      41334:
        "the law asked a replay for what it had sent and not counted before it died, of what was removed since",
      44819:
        "the law took a call's second copy for the one that was routed, as the first was said to be unread",
      44987:
        "a broker died while all deliverers joined again: their client asked the group nothing any more, for good",
      70601:
        "the law asked for order of a call whose first job was removed, and whose copy was routed instead",
      80032: "the law asked for order of the request that found its endpoint well again",
      401129:
        "the law asked for the second webhook of a call whose job retention had removed unread while it waited for it",
    },
  },
  {
    worlds: "deliveries",
    found: {
      933: "what a pass had taken behind a job that it left was sent again after a clean stop",
      1250: "a call that was put off was read again before that was acknowledged, and ended with what it was a copy of",
      2159: "the law asked for a copy of a job in hand, which ends with it",
      4010: "a control process that was cut off wrote behind the end of a replay that it runs, and it ran once more",
      15924:
        "calls that were written into a retry topic after its log was cut were neither taken nor left to its reader",
      21540:
        "calls of a resumed destination waited, as its endpoint had once asked for a pause, which was over",
      23010: "a copy was routed of a call that was noted where its log was cut, half a second before a kill",
      33301:
        "a webhook that had answered was asked again after a rebalance, as another one of the call waited for its place",
      34104: "a call that a router gave back while it waited for its destination came behind a later one",
      34169: "a resume was refused by a control process that had not read the pause yet",
      40362:
        "a member committed past the end of a log that was cut while it had lost it, and new records there were none to it",
      55719: "after rebalances in quick succession a deliverer woke nothing until the next one",
      60641: "a control process that was back after a cut went on with a replay that another one had by then",
      2000450:
        "a fetch of before a join was out of range: the place counted as 0, what was read as gone unread, and the group's commit was given up",
      2002361:
        "a pass looked into a partition from where its reader had been seconds before, and its cursor covered a job that had been given back since",
      2002378: "a control process that its group had missed ended a replay that another one was working on",
      2100119:
        "a call that had failed was put off seconds after a request, where its passes had looked already, and waited for its time",
      2102421: "a deliverer that stopped as it found its log cut gave its group's place up without a word",
      4008014:
        "calls in hand that retention had removed held no commit and no cursor back once the end of their log was lost, too",
      4010640:
        "the world ended before a group had come to a log whose start had passed its commit, and said so",
      4014203:
        "the law took a call for delivered that waited where another one had been committed, and was lost",
      4101935:
        "the law of webhooks did not know that a call stops waiting for one's place when its window is over",
      4104999:
        "a member whose commits went to a coordinator of before called its partitions idle: they moved before what was done could be committed",
      4105516:
        "the law asked a replay's next owner to count calls that were lost with the end of their log, and that nothing came 15 s late",
      4107185:
        "the world ended before a group had come to a log that was cut below its commit: what was written there since was unread",
      4118597: "the law did not know that answers were lost between two moments at which that is told",
      4127936:
        "what ended while the last commit before a join was on its way was not under way any more: its partition moved, and it was done again",
      4133258: "a member left after three commits that failed, and what it had done was done again",
      4134913: "the law asked a replay to see that a call waits of which retention had removed the record",
      4206026: "the law asked for calls that retention had removed from a cut log before anybody looked",
      4206234:
        "the law did not know how far a group's commit had gone back when it asked whether the group could see a cut",
      4209627:
        "the law did not know that a coordinator had left a commit of before a cut, behind which nobody knew of it",
      4211899:
        "the world ended when somebody had said that a log was cut, and had not read yet what stood there by then",
      4226130:
        "a call that a pass had taken and its log had lost since ended as done what stood in its place by then",
      4239922:
        "the law asked a replay that begins anew to count a call that was sent before, and waits since its log was cut",
      6002179:
        "commits that were refused while the group waited for a killed member ended the session of another one",
      6400835:
        "a member that stopped and had missed a generation committed nothing of what it had done: all of it was sent again",
      10000023:
        "a member that came back to a log that was cut took new records for those that it had done: they were not sent",
      20000422:
        "fetches from two brokers joined at once: one consumer was two members, and nobody read the one's partitions",
      21000277:
        "a member that stopped while it waited for its join left without a last commit: its work was done again",
      80057719: "a call that was put off by a clock that was then put back waited as much longer",
      90001573: "retention passed a group's place, and what it had done behind that was done again",
      90051161: "of two members that claimed a partition the one whose clock was ahead got it, busy or not",
      91000061: "a group stayed below the start of a log that retention had emptied",
      92002701:
        "a member's wish to join again went with another broker's failed fetch, and nobody read its partition",
      94000542: "a group stayed where it was in a log that was emptied and then cut",
      94001053:
        "a deliverer whose clock was a minute behind read a resume at its start, and did not know that a call that moved on meanwhile had failed before it",
      95000606:
        "a cut log grew while its group's way back to its start failed: what stood before was passed over",
      120008951:
        "a call of a resumed destination hopped on between a pass's looks at a partition's end and at its reader's place, twice: its request was said to be done",
      139300509:
        "the law took a webhook that waited for its turn for one that was asked, as it had failed when it was asked before",
      139302174:
        "a pass met a destination whose limits had no turn just then, and nothing looked again for what waited there",
      139311804:
        "the clerk of wishes took the request before, told by a control process that had been cut off, for one asked since",
    },
  },
  {
    worlds: "steady_audiences",
    found: {
      9: "a processor whose write was refused for good gave records back, was given them at once, and did not end",
      82: "a user entered a new audience by a call, although an earlier one keeps him out: its leaf did not know it yet",
      264: "a member that was missed let users leave, as the next owner had committed calls that keep them",
      453: "a call that came twice counted twice: its copy reached the surviving profile before the state",
      3567: "a first sync never ended after a moment in which its partition may have been another's",
      4523: "time had gone on past calls that were given back, and were judged again by the later time",
      5162: "records that were given back while their changes were sent were settled as well",
    },
  },
  {
    worlds: "audiences",
    found: {
      4: "the definition of before held again after a kill: that the edited one held was written later",
      44: "members of an audience that had ended were forgotten by the pass of another's edit, and not told",
      349: "an edit that was taken back at once went on with a leaf that had missed the calls in between",
      516: "an audience ended whose progress had died with a process: its members were not told",
      935: "a pass passed over a profile whose schema the process did not know yet",
      1015: "the law did not know that times rise over those of an audience that the profile has forgotten",
      1990: "a lifetime's count was asked for again, and lacked the calls since it was given up",
      2349: "an edit was taken back after a kill: profiles had been written without a condition whose end was written a second later",
      2362: "a processor that was frozen for longer than its session sent a change by a definition of before, beside the one that had its partition by then",
      6121: "who opened a partition folded calls while an audience was paused, and did not know it when that was resumed",
      6419: "what an earlier owner had left unsent waited until the group that keys calls was joined, too",
      9083: "the law took a call that was sent again after a deletion for one that was stored before it",
      9307: "the law asked for a change whose profile was written as the world ended",
      11393:
        "a call that came again after its profile was merged counted twice where an edit looked back on the log",
      30284:
        "the world ended before a table that had lost an answer asked again, so a processor knew no edit",
      32340: "the world ended while time stood still for members that nobody heard",
      33721: "the same, after a processor that had lost an answer had come back to its groups",
      38290:
        "that a condition was live was written while the partition was not sure to be ours, and not seen",
      70524:
        "the law did not know a value that was true for 81 ms just before the world ended, and was sent last",
      300239:
        "a user was deleted and came back while a change was written, which was sent under an id of the new life; the change that had the id got lost",
      304656:
        "a processor whose consumer had left its group to begin again wrote profiles of a partition that another one had by then",
      601721:
        "a processor that had lost a partition reported once more how far it had read its log, and believed that; a trait never became live",
      992202: "time passed by what control had written meanwhile, where no call had come",
      1633120:
        "a leaf of an edited audience began anew, and the definition of before took back what the edited one had sent",
      1637482: "the law did not know that an anonymous id had sent what it had to, when it was removed",
    },
  },
  {
    worlds: "members",
    found: {
      4: "a member of before an edit was given to a destination that was connected later under an id that was sent to nobody",
      289: "a destination waited for an audience that was deleted while it was paused",
      700026: "the disk kept what was under way when the power failed, without what it follows from",
      981014:
        "a change that met its destination switched off was not sent when that was on again within milliseconds",
      1721238:
        "the law did not know that a user was suppressed while a destination was given an audience that had been paused",
      1721350:
        "a regulation was asked for once more, as the answer was lost, behind its end: it began anew, with another moment",
      1721436:
        "the law asked for order of a suppressed user's call that its router had dropped, and one that was back after a cut sent",
      1721896:
        "a list was asked for while one partition's records were taken whose schema lists did not know yet",
      1731966:
        "a router that was behind after a cut dropped calls that its user made after the end of a suppression",
      1731423:
        "the law did not know that times rise over changes that a deletion dropped unsent, which a suppression's end had brought about",
      1732404:
        "a control process ended in its start, as Kafka refused to say how many partitions a topic has",
      3000203: "a control process that was cut off wrote behind the end of a sync that it is under way",
    },
  },
];
