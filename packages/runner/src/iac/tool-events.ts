import type { ToolEvent } from './messages.ts'

/** A stack of thousands of resources has some ten thousand events of some 100 characters. */
const usualMax = { events: 100_000, characters: 4 * 1024 * 1024 }

/** The events of one run of the tool, as far as there is room for them: a provider can write without end. */
export class ToolEvents {
  readonly kept: ToolEvent[] = []
  readonly #max: typeof usualMax
  #characters = 0

  constructor(max = usualMax) {
    this.#max = max
  }

  add(event: ToolEvent): void {
    this.#characters += charactersOf(event)
    if (this.kept.length < this.#max.events && this.#characters <= this.#max.characters) this.kept.push(event)
  }
}

function charactersOf(event: ToolEvent): number {
  if (event.kind !== 'error') return event.address.length
  return Object.values(event.diagnostic).reduce<number>((sum, part) => sum + String(part).length, 0)
}
