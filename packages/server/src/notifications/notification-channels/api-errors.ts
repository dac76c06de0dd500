import { ApiError } from '../../platform/http/api-error.ts'

/** Error for operations that require an enabled channel. */
export const disabledChannel = (id: string) =>
  new ApiError('notificationChannelDisabled', `The channel ${id} is disabled. Enable it first: PATCH with \`enabled\`.`)
