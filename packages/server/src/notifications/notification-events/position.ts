import { Refusal } from '../../platform/http/refusal.ts'

/** The number that a position stands for. */
export const numberIn = (position: string): number => Number(position)

export const positionOf = (number: number): string => String(number)

/** Refuses to go on from where something was forgotten since: it would be missed, and nobody would know. */
export function refuseForgotten(after: number, forgotten: number | undefined): void {
  if (forgotten === undefined || after >= forgotten) return
  throw new Refusal(
    'notificationPositionForgotten',
    `Events after the position ${after} are forgotten, up to ${forgotten}. Read your records anew, and go on after ${forgotten}.`,
  )
}
