import { ApiError } from '../../platform/http/api-error.ts'

/** Converts a position to an event number. */
export const numberIn = (position: string): number => Number(position)

export const positionOf = (number: number): string => String(number)

/** Rejects a position behind which events have expired, because the reader would miss them unnoticed. */
export function rejectForgotten(after: number, forgotten: number | undefined): void {
  if (forgotten === undefined || after >= forgotten) return
  throw new ApiError(
    'notificationPositionForgotten',
    `Events after the position ${after} were deleted, up to ${forgotten}. Read your records again, and continue after ${forgotten}.`,
  )
}
