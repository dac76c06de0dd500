import type { ApiErrorEntry } from './entry.ts'

export const promotionRuleErrors = {
  promotionRuleNotFound: {
    code: 'Sluice:PromotionRules:NOT_FOUND',
    status: 404,
    title: 'The promotion rule does not exist.',
  },
  promotionRuleExists: {
    code: 'Sluice:PromotionRules:EXISTS',
    status: 409,
    title: 'A promotion rule for the two environments already exists.',
  },
  tooManyPromotionRules: {
    code: 'Sluice:PromotionRules:TOO_MANY',
    status: 422,
    title: 'The organization has reached its limit of promotion rules.',
  },
  promotionStepInvalid: {
    code: 'Sluice:PromotionRules:STEP_INVALID',
    status: 422,
    title: 'Releases cannot be promoted between these environments.',
  },
  notSoaked: {
    code: 'Sluice:PromotionRules:NOT_SOAKED',
    status: 422,
    title: 'A promotion rule does not allow the promotion yet.',
  },
} as const satisfies Record<string, ApiErrorEntry>
