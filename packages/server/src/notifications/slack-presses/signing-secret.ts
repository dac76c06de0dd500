import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { type NotificationChannelRow, sealedSigningSecrets } from '../notification-channels/tables.ts'
import { decryptOrUndefined } from '../notification-deliveries/attempt.ts'

/** Returns the signing secret of a channel's Slack app; undefined if it has none or the key is lost. */
export const signingSecretOf = (
  seal: Seal,
  { organizationId, id, sealedSigningSecret: sealed }: NotificationChannelRow,
): string | undefined =>
  sealed === null
    ? undefined
    : decryptOrUndefined(seal, createSealContext(sealedSigningSecrets, organizationId, id), sealed)
