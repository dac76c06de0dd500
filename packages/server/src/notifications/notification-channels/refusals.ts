import { Refusal } from '../../platform/http/refusal.ts'

/** Error for operations that require an enabled channel. */
export const disabledChannel = (id: string) =>
  new Refusal('notificationChannelDisabled', `The channel ${id} is disabled. Enable it first: PATCH with \`enabled\`.`)
