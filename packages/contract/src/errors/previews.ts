import type { ApiErrorEntry } from './entry.ts'

export const previewErrors = {
  previewTemplateNotFound: {
    code: 'Sluice:PreviewTemplates:NOT_FOUND',
    status: 404,
    title: 'The preview template does not exist.',
  },
  previewTemplateInvalid: {
    code: 'Sluice:PreviewTemplates:INVALID',
    status: 422,
    title: 'The preview template is invalid: it cannot create an environment.',
  },
  previewTemplateInUse: {
    code: 'Sluice:PreviewTemplates:IN_USE',
    status: 409,
    title: 'The preview template still has preview environments.',
  },
  tooManyPreviewTemplates: {
    code: 'Sluice:PreviewTemplates:TOO_MANY',
    status: 422,
    title: 'The organization has reached its limit of preview templates.',
  },
  previewEnvironmentNotFound: {
    code: 'Sluice:PreviewEnvironments:NOT_FOUND',
    status: 404,
    title: 'The preview environment does not exist.',
  },
  previewEnvironmentEnded: {
    code: 'Sluice:PreviewEnvironments:ENDED',
    status: 409,
    title: 'The preview environment has been torn down.',
  },
  previewEnvironmentNotFailed: {
    code: 'Sluice:PreviewEnvironments:NOT_FAILED',
    status: 409,
    title: 'The preview environment has not failed.',
  },
  previewInProduction: {
    code: 'Sluice:PreviewEnvironments:IN_PRODUCTION',
    status: 422,
    title: 'The preview environment would use a cloud account that is marked as production.',
  },
} as const satisfies Record<string, ApiErrorEntry>
