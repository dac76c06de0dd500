import type { ToolEvent } from './messages.ts'

/** Generous: a stack of thousands of resources has some ten thousand events of about 100 characters. */
const defaultLimits = { events: 100_000, characters: 4 * 1024 * 1024 }

/** Collects the events of one run up to a limit, because a provider can print any number. */
export class ToolEvents {
  readonly list: ToolEvent[] = []
  readonly #limits: typeof defaultLimits
  #characters = 0

  constructor(max = defaultLimits) {
    this.#limits = max
  }

  add(event: ToolEvent): void {
    this.#characters += countCharacters(event)
    if (this.list.length < this.#limits.events && this.#characters <= this.#limits.characters) this.list.push(event)
  }
}

function countCharacters(event: ToolEvent): number {
  if (event.kind !== 'error') return event.address.length
  return Object.values(event.diagnostic).reduce<number>((sum, part) => sum + String(part).length, 0)
}
