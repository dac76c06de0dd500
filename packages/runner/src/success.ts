import type { Outcome } from '@sluice/contract/runner-protocol'
import type { OmittedValue } from '@sluice/contract/storable-value'

/** Returns the outcome of a successful attempt. Leaves out empty `omittedValues`, which older servers reject. */
export const createSuccess = (
  output: Record<string, unknown>,
  omittedValues: readonly OmittedValue[] = [],
): Outcome => ({
  status: 'SUCCESS',
  output,
  ...(omittedValues.length > 0 && { omittedValues: [...omittedValues] }),
})
