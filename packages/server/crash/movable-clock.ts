/**
 * Preloaded into a process of the service: each SIGUSR2 moves its system clock by CLOCK_OFFSET_MS, or back. It affects
 * the whole process with its libraries, as if the clock of the machine had changed.
 */
const offMs = Number(process.env.CLOCK_OFFSET_MS)
const machine = Date
let offsetMs = 0
const now = () => machine.now() + offsetMs

globalThis.Date = new Proxy(machine, {
  construct: (target, given, made) => Reflect.construct(target, given.length > 0 ? given : [now()], made),
  apply: () => new Date().toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

process.on('SIGUSR2', () => {
  offsetMs = offsetMs === 0 ? offMs : 0
})
