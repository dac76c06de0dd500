import { routes } from '@sluice/contract'

const of = (path: string, providerId: string) => path.replace('{id}', providerId)

/** Where a provider sends people back to: one of its own, so that the word of another cannot be slipped in. */
export const callbackPath = (providerId: string): string => of(routes.finishSignIn.path, providerId)

/** Where a provider tells that people signed out there. */
export const backChannelLogoutPath = (providerId: string): string => of(routes.signOutByProvider.path, providerId)
