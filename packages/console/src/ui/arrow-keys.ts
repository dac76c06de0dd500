import type { KeyboardEvent } from 'react'

const steps: Partial<Record<string, [across: number, down: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
}

/**
 * Moves the focus between cards (`data-card`) with the arrow keys. From a search field, the down arrow focuses the
 * first card.
 */
export function moveCardFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key]
  if (!step || !(event.target instanceof HTMLElement)) return
  const cards = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-card]')]
  const isSearch = event.target instanceof HTMLInputElement && event.target.type === 'search'
  const to = isSearch && event.key === 'ArrowDown' ? cards[0] : neighbour(event.target, cards, step)
  if (!to) return
  event.preventDefault() // otherwise the page scrolls
  to.focus()
}

function neighbour(target: HTMLElement, cards: HTMLElement[], step: [number, number]): HTMLElement | undefined {
  const from = target.closest('[data-card]')?.getBoundingClientRect()
  if (!from) return undefined
  const places = cards.map((card) => [card, card.getBoundingClientRect()] as const)
  return nearest(from, places, step)
}

type Box = Pick<DOMRect, 'left' | 'top'>

/** Returns the nearest element in a direction, where a row counts more than a column. */
export function nearest<T>(
  from: Box,
  others: readonly (readonly [T, Box])[],
  [across, down]: [number, number],
): T | undefined {
  const ahead = others
    .map(([one, { left, top }]) => ({ one, right: left - from.left, below: top - from.top }))
    .filter(({ right, below }) => (down === 0 ? below === 0 && right * across > 0 : below * down > 0))
    .sort((a, b) => Math.abs(a.below) - Math.abs(b.below) || Math.abs(a.right) - Math.abs(b.right))
  return ahead[0]?.one
}
