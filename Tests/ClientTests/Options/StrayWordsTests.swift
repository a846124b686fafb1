import Testing

@testable import Client

@Suite struct StrayWordsTests {
  @Test(arguments: [
    (
      "Call Mum --due tomorrow 18:00",
      "'18:00' stands alone after --due tomorrow; did you mean --due 'tomorrow 18:00'?"
    ),
    (
      "Lock up --at 52.52,13.405 --radius 150 m",
      "'m' stands alone after --radius 150; did you mean --radius '150 m'?"
    ),
    (
      "Call Mum --due tomorrow 18:00 --lead 15min",
      "'18:00' stands alone after --due tomorrow; did you mean --due 'tomorrow 18:00'?"
    ),
    (
      "Call --due tomorrow Mum",
      "'Mum' stands alone after --due tomorrow; write the title in one piece, before the options or "
        + "behind them"
    ),
    (
      "--due tomorrow 18:00 Call Mum",
      "'18:00 Call Mum' stands alone after --due tomorrow; did you mean --due 'tomorrow 18:00'?"
    ),
    (
      "Tea --due in 5 minutes",
      "'5 minutes' stands alone after --due in; did you mean --due 'in 5 minutes'?"
    ),
    (
      "Bins --repeat every 2 weeks --due friday",
      "'2 weeks' stands alone after --repeat every; did you mean --repeat 'every 2 weeks'?"
    ),
  ])
  func aWordThatBelongsNowhereIsRefused(line: String, reason: String) {
    let run = Run(["add"] + line.split(separator: " ").map(String.init))
    #expect(run.status == 64)
    #expect(run.notes == "georemind: \(reason)\n")
  }

  @Test(arguments: [
    ["Call", "Mum", "--due", "tomorrow 18:00"], ["--due", "tomorrow 18:00", "Call", "Mum"],
    ["--due=tomorrow 18:00", "Call", "Mum"], ["--due", "tomorrow", "--", "18:00", "Call"],
    ["--notes", "a long", "text", "--due", "friday"], ["--every-visit", "Tea", "--at", "here"],
    ["Tea", "--due", "friday", "--dry-run"],
  ])
  func aTitleInOnePieceIsTaken(arguments: [String]) {
    #expect(StrayWords(arguments).failure == nil)
  }
}
