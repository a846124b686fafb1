import Glibc
import LinuxRuntime

/// Serial lines (termios(3)).
enum SerialPort {
  /// Opens a line exclusively and raw, 8N1, without flow control, at its current speed.
  ///
  /// VMIN 1 and VTIME 0: then a read of 0 bytes means on Linux that the device was removed.
  static func open(_ path: String) throws(SystemError) -> Descriptor {
    // Without O_NONBLOCK, opening would wait for a carrier.
    let flags = O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    var raw = Glibc.open(path, O_RDWR | flags)
    if raw < 0, errno == EACCES { raw = Glibc.open(path, O_RDONLY | flags) }
    guard raw >= 0 else {
      let remedy: String? =
        switch errno {
        case EACCES: "add the user of the service to the group dialout"
        case EPERM: "add its driver to DeviceAllow= of the service, as in serial.conf"
        case EBUSY: "another program, perhaps gpsd or ModemManager, holds it"
        case ENOENT, ENXIO, ENODEV: "see whether the receiver is plugged in"
        default: nil
        }
      throw .last("open \(path)", remedy: remedy)
    }
    let descriptor = Descriptor(raw)
    var settings = try settings(of: descriptor, path)
    cfmakeraw(&settings)
    // XON and XOFF occur in binary protocols; CRTSCTS hangs some USB bridges.
    settings.c_iflag &= ~tcflag_t(IXON | IXOFF | IXANY)
    settings.c_cflag &= ~(tcflag_t(CSIZE | PARENB | CSTOPB) | tcflag_t(CRTSCTS))
    settings.c_cflag |= tcflag_t(CS8 | CREAD | CLOCAL)
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    guard tcsetattr(descriptor.raw, TCSANOW, &settings) == 0 else {
      throw .last("set up the serial line \(path)")
    }
    _ = ioctl(descriptor.raw, UInt(TIOCEXCL))
    return descriptor
  }

  /// Sets both directions to a speed in baud, and drops what came at another one.
  static func setSpeed(
    of descriptor: Descriptor, _ path: String, to baud: Int
  ) throws(SystemError) {
    var settings = try settings(of: descriptor, path)
    // glibc takes the speed in baud here and finds its code.
    let hasSpeed = cfsetspeed(&settings, speed_t(clamping: baud)) == 0
    guard hasSpeed, tcsetattr(descriptor.raw, TCSANOW, &settings) == 0 else {
      throw .last("set \(path) to \(baud) baud", remedy: "choose a speed that the line has")
    }
    tcflush(descriptor.raw, TCIOFLUSH)
  }

  /// The speed of a line in baud, if it is one of `speeds`.
  static func speed(of descriptor: Descriptor, among speeds: [Int]) -> Int? {
    guard var settings = try? settings(of: descriptor, "") else { return nil }
    let code = cfgetispeed(&settings)
    return speeds.first { baud in
      cfsetspeed(&settings, speed_t(clamping: baud)) == 0 && cfgetispeed(&settings) == code
    }
  }

  private static func settings(
    of descriptor: Descriptor, _ path: String
  ) throws(SystemError) -> termios {
    var settings = termios()
    guard tcgetattr(descriptor.raw, &settings) == 0 else {
      throw .last("use \(path) as a serial line", remedy: "read a file by file://")
    }
    return settings
  }

  /// Closes a line and ends its exclusive mode, which would outlast this descriptor.
  static func close(_ descriptor: Descriptor) {
    _ = ioctl(descriptor.raw, UInt(TIOCNXCL))
    descriptor.close()
  }
}
