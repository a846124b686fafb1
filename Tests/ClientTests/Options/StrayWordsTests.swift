import JSONText
import Testing

@testable import Client

@Suite struct StrayWordsTests {
  @Test(arguments: [
    "Call Mum --due tomorrow 18:00 | --due 'tomorrow 18:00'",
    "Lock up --at 52.52,13.405 --radius 150 m | --radius '150 m'",
    "Call Mum --due tomorrow 18:00 --lead 15min | --due 'tomorrow 18:00'",
    "Tea -d 4 min | -d '4 min'", "Tea --due in 5 minutes | --due 'in 5 minutes'",
    "Bins --repeat every 2 weeks --due friday | --repeat 'every 2 weeks'",
    "Bins -d friday -r every 2 weeks | -r 'every 2 weeks'", "Tea --due=6 pm | --due=6 pm",
    "Pay --due 27 jan | --due '27 jan'", "Mow --due friday --lead 1h 30min | --lead '1h 30min'",
    "Rent --due friday --days monday and friday | --days 'monday and friday'",
    "Mow --at Home --hours 8am to 6pm | --hours '8am to 6pm'",
  ])
  func theWordsOfAValueNeedNoQuotes(line: String) throws {
    let parts = line.split(separator: " | ").map(String.init)
    let words = parts[0].split(separator: " ").map(String.init)
    let value = parts[1].split(separator: "'").last.map(String.init) ?? ""
    let mended = try StrayWords(words).mended()
    #expect(mended.contains(value), "\(mended)")
    #expect(mended.joined(separator: " ") == parts[0])
  }

  @Test(arguments: [
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
      "Call --due tomorrow 18:00 Mum",
      "'18:00 Mum' stands alone after --due; did you mean --due 'tomorrow 18:00'?"
    ), ("Milk --at Rewe Ost", "'Ost' stands alone after --at; did you mean --at 'Rewe Ost'?"),
    ("Milk -a Rewe Ost", "'Ost' stands alone after -a; did you mean -a 'Rewe Ost'?"),
  ])
  func aWordThatBelongsNowhereIsRefused(line: String, reason: String) {
    let run = Run(["add"] + line.split(separator: " ").map(String.init))
    #expect(run.status == 64)
    #expect(run.notes == "georemind: \(reason)\n")
  }

  @Test func anEditHasNoTitleAmongItsWords() throws {
    let words = ["milk", "--due", "tomorrow", "18:00"]
    let mended = try StrayWords(words, hasTitle: false).mended()
    #expect(mended == ["milk", "--due", "tomorrow 18:00"])
    let named = ["--at", "Rewe", "milk"]
    #expect(try StrayWords(named, hasTitle: false).mended() == named)
  }

  @Test(arguments: [
    ("Call Mum tomorrow at 6pm", "Call Mum", "2026-06-13T18:00:00"),
    ("Tea in 4 minutes", "Tea", "2026-06-12T16:04:00Z"),
    ("Buy 2 eggs tonight", "Buy 2 eggs", "2026-06-12T20:00:00"),
    ("Standup every monday at 9", "Standup", "2026-06-15T09:00:00"),
    ("Meet Tom friday 19h", "Meet Tom", "2026-06-12T19:00:00"),
    ("Watch the sun tomorrow 7", "Watch the sun", "2026-06-13T07:00:00"),
    ("Timesheet on the last day of a month", "Timesheet", "2026-06-30T09:00:00"),
  ])
  func aTitleMayEndInItsTime(line: String, title: String, due: String) throws {
    let run = Run(["add", "--dry-run", "--json"] + line.split(separator: " ").map(String.init))
    let reminder = try JSONParser.parse(Array(run.output.utf8)).object
    #expect(reminder?["title"]?.string == title, "\(run.notes)")
    #expect(reminder?["due"]?.string == due)
  }

  @Test(arguments: [
    ("Paint on frday at 10", "'frday' stays in the title; did you mean 'friday'?"),
    ("Call dentist tomorow 9:00", "'tomorow' stays in the title; did you mean 'tomorrow'?"),
    ("Feed cat 7:30 and 18:30 daily", "keeps 'and'; only 'daily 18:30' was read as the time"),
    ("Check the chain at 3am and 5am", "keeps 'and'; only '5am' was read as the time"),
    ("HW Dover 12:43 pm high in 2h", "keeps '12:43'; only 'in 2h' was read as the time"),
    ("Renew insurance before 1 april", "keeps 'before'; only '1 april' was read as the time"),
    ("Paint on friday or saturday", "keeps 'or'; only 'saturday' was read as the time"),
    ("Take pill friday early tomorrow 9:00", "keeps 'friday'; only 'tomorrow 9:00'"),
    ("Dentist thursday in two weeks", "keeps 'thursday'; only 'in two weeks'"),
    ("Call on monday in a week", "keeps 'monday'; only 'in a week' was read as the time"),
    ("Jog twice a week", "keeps 'twice'; only 'a week' was read as the time"),
    ("Pills 3 times a day", "keeps 'times'; only 'a day' was read as the time"),
    ("Pills every 8 hours in 10 minutes", nil), ("Pills weekdays tomorrow 8:00", nil),
    ("Timesheet on the last day of a month", nil),
    ("Call Sunny tomorrow 9:00", nil), ("Mow saturdays lawn in 2h", nil),
    ("Buy 2 eggs tonight", nil), ("Fridge in 5 min", nil),
  ]) func whatATitleKeepsOfATimeIsSaid(line: String, note: String?) {
    let run = Run(["add", "--dry-run"] + line.split(separator: " ").map(String.init))
    #expect(run.status == 0)
    if let note {
      #expect(run.notes.contains(note), "\(run.notes)")
    } else {
      #expect(!run.notes.contains("the title"), "\(run.notes)")
    }
  }

  @Test func aMistypedDayIsNamedWhereNothingElseSaysWhen() {
    let run = Run(["add", "--dry-run", "Call", "Mum", "monady"])
    #expect(run.status == 64)
    #expect(run.notes.contains("'monady' stays in the title; did you mean 'monday'?"))
  }

  @Test func aTitleWithoutATimeIsRefused() {
    let run = Run(["add", "--dry-run", "Buy", "milk"])
    #expect(run.status == 64 && run.notes.contains("say where"))
  }

  @Test(arguments: [
    ["Call", "Mum", "--due", "tomorrow 18:00"], ["--due", "tomorrow 18:00", "Call", "Mum"],
    ["--due=tomorrow 18:00", "Call", "Mum"], ["--due", "tomorrow", "--", "18:00", "Call"],
    ["--notes", "a long", "text", "--due", "friday"], ["--every-visit", "Tea", "--at", "here"],
    ["Tea", "--due", "friday", "--dry-run"], ["-d", "tomorrow 18:00", "Call", "Mum"],
    ["--at", "Rewe", "Buy", "milk"], ["Buy", "milk", "-a", "Rewe"],
  ])
  func aTitleInOnePieceIsTaken(arguments: [String]) throws {
    #expect(try StrayWords(arguments).mended() == arguments)
  }
}
