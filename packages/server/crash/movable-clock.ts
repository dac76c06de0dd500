/**
 * Preloaded into a process of the service: each SIGUSR2 sets its system clock off by CLOCK_OFFSET_MS, and back. All of
 * the process sees it, its libraries included, as if somebody had set the clock of the machine.
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
