import type { Message } from '../../platform/engine/messages.ts'

/** The engine's object, keyed by the id of the preview environment: looks at one come one after the other. */
export const previewService = 'preview-environment'

/** The message that has one looked at. */
export const toPreview = (key: string): Message => ({ service: previewService, key, handler: 'look' })
