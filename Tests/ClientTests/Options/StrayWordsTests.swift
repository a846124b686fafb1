import Testing

@testable import Client

@Suite struct StrayWordsTests {
  @Test(arguments: [
    (
      "Call Mum --due tomorrow 18:00",
      "'18:00' stands alone after --due; did you mean --due 'tomorrow 18:00'?"
    ),
    (
      "Lock up --at 52.52,13.405 --radius 150 m",
      "'m' stands alone after --radius; did you mean --radius '150 m'?"
    ),
    (
      "Call Mum --due tomorrow 18:00 --lead 15min",
      "'18:00' stands alone after --due; did you mean --due 'tomorrow 18:00'?"
    ),
    (
      "Call --due tomorrow Mum",
      "'Mum' stands alone after --due; write the title in one piece, before the options or behind "
        + "them"
    ),
    (
      "--due tomorrow 18:00 Call Mum",
      "'18:00 Call Mum' stands alone after --due; did you mean --due 'tomorrow 18:00'?"
    ),
    (
      "Tea --due in 5 minutes",
      "'5 minutes' stands alone after --due; did you mean --due 'in 5 minutes'?"
    ),
    (
      "Bins --repeat every 2 weeks --due friday",
      "'2 weeks' stands alone after --repeat; did you mean --repeat 'every 2 weeks'?"
    ),
    (
      "Call Mum -d tomorrow 18:00",
      "'18:00' stands alone after -d; did you mean -d 'tomorrow 18:00'?"
    ),
    (
      "Bins -d friday -r every 2 weeks",
      "'2 weeks' stands alone after -r; did you mean -r 'every 2 weeks'?"
    ),
    ("Milk --at Rewe Ost", "'Ost' stands alone after --at; did you mean --at 'Rewe Ost'?"),
    ("Milk -a Rewe Ost", "'Ost' stands alone after -a; did you mean -a 'Rewe Ost'?"),
    ("Tea --due 6 pm", "'pm' stands alone after --due; did you mean --due '6 pm'?"),
    ("Tea --due=6 pm", "'pm' stands alone after --due; did you mean --due '6 pm'?"),
    ("Pay --due 27 jan", "'jan' stands alone after --due; did you mean --due '27 jan'?"),
    (
      "Rent --due friday --days monday and friday",
      "'and friday' stands alone after --days; did you mean --days 'monday and friday'?"
    ),
    (
      "Mow --at Home --hours 8am to 6pm",
      "'to 6pm' stands alone after --hours; did you mean --hours '8am to 6pm'?"
    ),
    (
      "Mow --due friday --lead 1h 30min",
      "'30min' stands alone after --lead; did you mean --lead '1h 30min'?"
    ),
  ])
  func aWordThatBelongsNowhereIsRefused(line: String, reason: String) {
    let run = Run(["add"] + line.split(separator: " ").map(String.init))
    #expect(run.status == 64)
    #expect(run.notes == "georemind: \(reason)\n")
  }

  @Test func aWordThatBelongsNowhereInAnEditIsRefused() {
    let run = Run(["edit", "milk", "--due", "tomorrow", "18:00"])
    #expect(run.status == 64)
    #expect(
      run.notes == "georemind: '18:00' stands alone after --due; did you mean --due "
        + "'tomorrow 18:00'?\n")
    #expect(StrayWords(["--at", "Rewe", "milk"], hasTitle: false).failure == nil)
  }

  @Test(arguments: [
    ["Call", "Mum", "--due", "tomorrow 18:00"], ["--due", "tomorrow 18:00", "Call", "Mum"],
    ["--due=tomorrow 18:00", "Call", "Mum"], ["--due", "tomorrow", "--", "18:00", "Call"],
    ["--notes", "a long", "text", "--due", "friday"], ["--every-visit", "Tea", "--at", "here"],
    ["Tea", "--due", "friday", "--dry-run"], ["-d", "tomorrow 18:00", "Call", "Mum"],
    ["--at", "Rewe", "Buy", "milk"], ["Buy", "milk", "-a", "Rewe"],
  ])
  func aTitleInOnePieceIsTaken(arguments: [String]) {
    #expect(StrayWords(arguments).failure == nil)
  }
}
