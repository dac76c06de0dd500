import type { RefusalEntry } from './entry.ts'

export const previewRefusals = {
  previewTemplateNotFound: {
    code: 'Sluice:PreviewTemplates:NOT_FOUND',
    status: 404,
    title: 'There is no such template of preview environments.',
  },
  previewTemplateInvalid: {
    code: 'Sluice:PreviewTemplates:INVALID',
    status: 422,
    title: 'Nothing could be made by the template of preview environments.',
  },
  previewTemplateInUse: {
    code: 'Sluice:PreviewTemplates:IN_USE',
    status: 409,
    title: 'The template still has preview environments.',
  },
  tooManyPreviewTemplates: {
    code: 'Sluice:PreviewTemplates:TOO_MANY',
    status: 422,
    title: 'The organization has as many templates of preview environments as it may have.',
  },
  previewEnvironmentNotFound: {
    code: 'Sluice:PreviewEnvironments:NOT_FOUND',
    status: 404,
    title: 'There is no such preview environment.',
  },
  previewEnvironmentEnded: {
    code: 'Sluice:PreviewEnvironments:ENDED',
    status: 409,
    title: 'The preview environment is torn down.',
  },
  previewEnvironmentNotFailed: {
    code: 'Sluice:PreviewEnvironments:NOT_FAILED',
    status: 409,
    title: 'Nothing of the preview environment has failed.',
  },
  previewInProduction: {
    code: 'Sluice:PreviewEnvironments:IN_PRODUCTION',
    status: 422,
    title: 'It would reach into a cloud account that is marked as production.',
  },
} as const satisfies Record<string, RefusalEntry>
