/// A weak reference that is filled in later, for handlers that are made before their owner is.
package final class WeakReference<Target: AnyObject> {
  package weak var target: Target?

  package init() {}
}
