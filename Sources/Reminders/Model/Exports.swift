// Reminders, settings and effects are made of travel times; whoever imports them needs these as well.
@_exported public import Departure
