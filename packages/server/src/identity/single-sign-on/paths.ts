import { routes } from '@sluice/contract'

const of = (path: string, providerId: string) => path.replace('{id}', providerId)

/** Returns the callback path, separate per provider so that responses cannot be mixed up. */
export const callbackPath = (providerId: string): string => of(routes.finishSignIn.path, providerId)

export const backChannelLogoutPath = (providerId: string): string => of(routes.signOutByProvider.path, providerId)
