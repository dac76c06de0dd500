import { type ApiErrorKey, apiErrors } from '@sluice/contract'

/** Returns what an answer with this error has at least, for `toMatchObject`. */
export const apiErrorOf = (key: ApiErrorKey) => ({
  status: apiErrors[key].status,
  body: { code: apiErrors[key].code },
})
