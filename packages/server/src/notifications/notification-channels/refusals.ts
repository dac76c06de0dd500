import { Refusal } from '../../platform/http/refusal.ts'

/** A channel that is disabled is sent nothing. */
export const disabledChannel = (id: string) =>
  new Refusal('notificationChannelDisabled', `The channel ${id} is disabled. Enable it first: PATCH with \`enabled\`.`)
