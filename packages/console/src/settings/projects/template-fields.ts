import type { CreatePreviewTemplate, PreviewTemplate, UpdatePreviewTemplate } from '@sluice/contract'
import { textFieldValue } from '../../ui/forms/form-modal.tsx'

type Json = Record<string, unknown>

/** Returns the template from form values. In an update, empty fields are cleared. */
export type TemplateEntries = Omit<CreatePreviewTemplate, 'projectId' | 'environmentId' | 'codeSourceId'>

export function templateFromForm(form: FormData): TemplateEntries {
  const [branches, paths, instances] = [listed(form, 'branches'), listed(form, 'paths'), listed(form, 'instances')]
  const pipelineId = textFieldValue(form, 'pipelineId')
  return {
    ...(branches.length > 0 && { branches }),
    ...(paths.length > 0 && { paths }),
    ...(instances.length > 0 && { instances }),
    ...(pipelineId !== '' && { pipelineId }),
    inputs: objectIn(form, 'inputs') as Record<string, Json>,
    pipelineInputs: objectIn(form, 'pipelineInputs'),
    namePattern: textFieldValue(form, 'namePattern'),
    lifetimeHours: Number(textFieldValue(form, 'lifetimeHours')),
    maxPerProject: Number(textFieldValue(form, 'maxPerProject')),
    allowsForks: form.has('allowsForks'),
  }
}

/** Converts the entries to an update. */
export const templateUpdate = (entries: TemplateEntries): UpdatePreviewTemplate => ({
  branches: null,
  paths: null,
  instances: null,
  pipelineId: null,
  ...entries,
})

/** Formats an object for a text field; empty for an empty object. */
export const formatObject = (held: Json | undefined): string =>
  held === undefined || Object.keys(held).length === 0 ? '' : JSON.stringify(held, null, 2)

/** Formats a list for a text field, one item per line. */
export const formatList = (list: PreviewTemplate['branches']): string => (list ?? []).join('\n')

const listed = (form: FormData, name: string): string[] =>
  textFieldValue(form, name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Parses JSON. Invalid JSON is sent as text for the server to reject. */
function objectIn(form: FormData, name: string): Json {
  const text = textFieldValue(form, name)
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return text as unknown as Json
  }
}
