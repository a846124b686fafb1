import Glibc

/// The exit code of a command of the shell and what it has printed; nil where it cannot start.
package func runCommand(_ command: String) -> (code: Int32, output: String)? {
  guard let pipe = popen(command, "r") else { return nil }
  var output: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
    output += buffer.prefix(count)
  }
  let status = pclose(pipe)
  return (status & 0x7F == 0 ? status >> 8 & 0xFF : -1, String(decoding: output, as: UTF8.self))
}

/// A Python with modules, for the condition of a test; nil where none has them.
package func pythonWithModules(_ modules: String) -> String? {
  ["python3", "/usr/bin/python3"].first {
    runCommand("\($0) -c 'import \(modules)' 2>/dev/null")?.code == 0
  }
}
