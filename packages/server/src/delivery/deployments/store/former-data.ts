import { formerRequirements, formerVerdicts } from '../../../gates/former-names.ts'
import type { StoredData } from '../execution/state.ts'

/**
 * Translates the findings of release gates in the data of a deployment to the field names before version 0.3, and back.
 */
export const formerData = {
  toStored: (data: StoredData): object => translated(data, formerRequirements.toStored, formerVerdicts.toStored),
  toCurrent: (stored: StoredData): StoredData =>
    translated(stored, formerRequirements.toCurrent, formerVerdicts.toCurrent) as StoredData,
}

function translated(
  data: StoredData,
  requirements: (of: NonNullable<StoredData['approval']>['demands']) => object[],
  verdicts: typeof formerVerdicts.toStored,
): object {
  const { approval, policies } = data
  if (!approval && !policies) return data
  return {
    ...data,
    ...(approval && { approval: { ...approval, demands: requirements(approval.demands) } }),
    ...(policies && { policies: verdicts(policies) }),
  }
}
