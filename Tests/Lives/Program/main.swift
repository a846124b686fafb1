import Glibc
import Lives
import ReferenceModel

// The same lives for the engine and for the reference model, from a seed on.
//
// usage: georemind-lives [--seed S] [--lives N] [--trackers] [--failures N]
//                        [--table|--print|--why|--script]
//
// --trackers  only the lives of two or three trackers, about half of them
// --failures  how many differences to print before the end; 5 unless given
// --table     the kinds and conditions that the reminders had
// --print     every action of every life
// --script    each life as a script for the whole daemon, and no comparison (Tests/Simulator)
// --why       does what `why` says for each reminder that is blocked after a day, instead

var seed: UInt64 = 1
var count = 500
var maximumFailures = 5
var printsTable = false
var printsLife = false
var printsScript = false
var followsAdvice = false
var hasTrackers = false

var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  switch argument {
  case "--seed": seed = arguments.popFirst().flatMap { UInt64($0) } ?? seed
  case "--lives": count = arguments.popFirst().flatMap { Int($0) } ?? count
  case "--failures":
    maximumFailures = arguments.popFirst().flatMap { Int($0) } ?? maximumFailures
  case "--trackers": hasTrackers = true
  case "--table": printsTable = true
  case "--print": printsLife = true
  case "--script": printsScript = true
  case "--why": followsAdvice = true
  default:
    print(
      "usage: georemind-lives [--seed S] [--lives N] [--trackers] [--failures N] "
        + "[--table|--print|--why|--script]")
    exit(2)
  }
}

/// The seeds of the lives, rising.
let seeds = (seed...).lazy.filter { !hasTrackers || LifeGenerator.trackers(seed: $0).count > 1 }
  .prefix(count)

if followsAdvice {
  let advice = seeds.flatMap { Advice.follow(LifeGenerator.life(seed: $0)) }
  for cause in Set(advice.flatMap(\.causes)).sorted() {
    let asked = advice.filter { $0.causes.contains(cause) }
    print("blocked by \(cause): \(asked.count), fired \(asked.count { $0.hasFired })")
  }
  let left = advice.filter { !$0.hasFired }
  for one in left.prefix(maximumFailures) {
    print(one.transcript.prefix(5).joined(separator: "\n") + "\n")
  }
  print("\(advice.count) blocked reminders, \(advice.count - left.count) fired as `why` said")
  exit(left.isEmpty ? 0 : 1)
}

let store = LifeStore()
var coverage = Coverage()
var firings = 0
var failures = 0
for seed in seeds {
  let life = LifeGenerator.life(seed: seed, store: store)
  if printsLife { print(life.text) }
  if printsScript {
    print(Script(life).text)
    continue
  }
  let run = Run(life, store: store)
  coverage.add(run)
  firings += run.model.firings.count
  if run.difference != nil {
    failures += 1
    print(Failure(life).text)
    if failures == maximumFailures { break }
  }
}
if printsScript { exit(0) }
if printsTable { print(coverage.table) }
print("\(count) lives from seed \(seed): \(coverage.reminders) reminders, \(firings) firings")
print(failures == 0 ? "no difference" : "\(failures) lives differ")
// So many lives have every pair.
let missing = count >= 500 ? coverage.missing : []
if !missing.isEmpty { print("no reminder had \(missing.joined(separator: ", "))") }
exit(failures == 0 ? 0 : 1)
