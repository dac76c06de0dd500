import type { RefusalEntry } from './entry.ts'

export const promotionRuleRefusals = {
  promotionRuleNotFound: {
    code: 'Sluice:PromotionRules:NOT_FOUND',
    status: 404,
    title: 'There is no such promotion rule.',
  },
  promotionRuleExists: {
    code: 'Sluice:PromotionRules:EXISTS',
    status: 409,
    title: 'The step between the two environments has a promotion rule.',
  },
  tooManyPromotionRules: {
    code: 'Sluice:PromotionRules:TOO_MANY',
    status: 422,
    title: 'The organization has as many promotion rules as it may have.',
  },
  promotionStepInvalid: {
    code: 'Sluice:PromotionRules:STEP_INVALID',
    status: 422,
    title: 'Releases cannot go on from the one environment to the other.',
  },
  notSoaked: {
    code: 'Sluice:PromotionRules:NOT_SOAKED',
    status: 422,
    title: 'A promotion rule does not let the release go on yet.',
  },
} as const satisfies Record<string, RefusalEntry>
