import { sealedDeploymentKeys } from '../../delivery/deployment-archives/tables.ts'
import { sealedConnectionTokens } from '../../git/githostb-connections/tables.ts'
import { sealedClientSecrets } from '../../git/githostb-instances/tables.ts'
import { sealedProviderSecrets } from '../../identity/organizations/tables.ts'
import {
  sealedChannelSecrets,
  sealedFormerChannelSecrets,
  sealedSigningSecrets,
} from '../../notifications/notification-channels/tables.ts'
import { sealedResponseUrls } from '../../notifications/slack-presses/tables.ts'
import { sealedPlans } from '../../pipelines/iac-plans/tables.ts'
import { sealedArtifactPieces } from '../../pipelines/step-artifacts/tables.ts'
import { sealedLogKeys } from '../../pipelines/step-logs/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { sealedDefaultValues } from '../../projects/default-values/tables.ts'
import { sealedStates } from '../../stacks/iac-states/tables.ts'
import { sealedStackOutputs } from '../../stacks/stacks/tables.ts'
import { sealedAnswers } from '../idempotency/tables.ts'

/** All columns with encrypted values, which a key rotation encrypts again. A test checks that the list is complete. */
export const sealedColumns: readonly SealedColumn[] = [
  sealedDefaultValues,
  sealedStackOutputs,
  sealedStates,
  sealedPlans,
  sealedLogKeys,
  sealedArtifactPieces,
  sealedDeploymentKeys,
  sealedClientSecrets,
  sealedProviderSecrets,
  sealedConnectionTokens,
  sealedChannelSecrets,
  sealedFormerChannelSecrets,
  sealedSigningSecrets,
  sealedResponseUrls,
  sealedAnswers,
]
