import type { Message } from '../../platform/engine/messages.ts'

/** Durable object for preview environments, keyed by id, which serializes their reconciliations. */
export const previewService = 'preview-environment'

/** Returns the message that triggers a reconciliation. */
export const toPreview = (key: string): Message => ({ service: previewService, key, handler: 'look' })
