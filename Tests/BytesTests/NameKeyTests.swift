import Bytes
import Testing

@Suite struct NameKeyTests {
  @Test func spellingsOfOneNameHaveOneKey() {
    #expect("Fuel".nameKey == "FUEL".nameKey)
    #expect("Fuel".nameKey != "Fuels".nameKey)
    // As the store has it: other letters differ by case.
    #expect("Ärzte".nameKey == "ÄRZTE".nameKey)
    #expect("Ärzte".nameKey != "ärzte".nameKey)
  }
}
