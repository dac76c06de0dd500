import type { ErrorDetail } from '../values/user-facing-error.ts'
import type { Outcome } from './attempt.ts'

/**
 * Applies a function to every value of an outcome that a program chose. Field names, the status and other enumerations
 * stay unchanged, even if a secret is spelled `output` or `SUCCESS`.
 */
export function mapOutcome(outcome: Outcome, map: <Value>(value: Value) => Value): Outcome {
  switch (outcome.status) {
    case 'CANCELLED':
      return outcome
    case 'SUCCESS': {
      const { output, omittedValues } = outcome
      return {
        ...outcome,
        ...(output && { output: map(output) }),
        ...(omittedValues && {
          omittedValues: omittedValues.map(({ path, reason }) => ({ path: map(path), reason: map(reason) })),
        }),
      }
    }
    case 'ERROR': {
      const { error } = outcome
      const { message, description, details, metadata } = error
      const mapped = {
        ...error,
        message: map(message),
        ...(description !== undefined && { description: map(description) }),
        ...(details && { details: details.map((detail) => mapDetail(detail, map)) }),
        ...(metadata && { metadata: map(metadata) }),
      }
      return { status: 'ERROR', error: mapped }
    }
  }
}

const mapDetail = (
  { items, object, title, ...rest }: ErrorDetail,
  map: <Value>(value: Value) => Value,
): ErrorDetail => ({
  ...rest,
  title: map(title),
  ...(items && { items: items.map((item) => map(item)) }),
  ...(object && { object: map(object) }),
})
