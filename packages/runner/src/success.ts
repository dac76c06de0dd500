import type { Outcome } from '@sluice/contract/runner-protocol'
import type { OmittedValue } from '@sluice/contract/storable-value'

/** Returns the outcome of an attempt that succeeded. A server that is older than the runner knows no omitted values. */
export const successWith = (output: Record<string, unknown>, omittedValues: readonly OmittedValue[] = []): Outcome => ({
  status: 'SUCCESS',
  output,
  ...(omittedValues.length > 0 && { omittedValues: [...omittedValues] }),
})
