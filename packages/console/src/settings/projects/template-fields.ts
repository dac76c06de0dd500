import type { CreatePreviewTemplate, PreviewTemplate, UpdatePreviewTemplate } from '@sluice/contract'
import { textOf } from '../../ui/forms/form-modal.tsx'

type Json = Record<string, unknown>

/** What a form says that makes a template, or changes one: there, what is left empty is taken away. */
export type TemplateEntries = Omit<CreatePreviewTemplate, 'projectId' | 'environmentId' | 'codeSourceId'>

export function templateIn(form: FormData): TemplateEntries {
  const [branches, paths, instances] = [listed(form, 'branches'), listed(form, 'paths'), listed(form, 'instances')]
  const pipelineId = textOf(form, 'pipelineId')
  return {
    ...(branches.length > 0 && { branches }),
    ...(paths.length > 0 && { paths }),
    ...(instances.length > 0 && { instances }),
    ...(pipelineId !== '' && { pipelineId }),
    inputs: objectIn(form, 'inputs') as Record<string, Json>,
    pipelineInputs: objectIn(form, 'pipelineInputs'),
    namePattern: textOf(form, 'namePattern'),
    lifetimeHours: Number(textOf(form, 'lifetimeHours')),
    mostInProject: Number(textOf(form, 'mostInProject')),
    allowsForks: form.has('allowsForks'),
  }
}

/** The same as a change. */
export const changeOf = (entries: TemplateEntries): UpdatePreviewTemplate => ({
  ...{ branches: null, paths: null, instances: null, pipelineId: null },
  ...entries,
})

/** An object as a field shows it; nothing where there is nothing in it. */
export const textOfObject = (held: Json | undefined): string =>
  held === undefined || Object.keys(held).length === 0 ? '' : JSON.stringify(held, null, 2)

/** What a list looks like in a field: a line each. */
export const linesOfList = (list: PreviewTemplate['branches']): string => (list ?? []).join('\n')

const listed = (form: FormData, name: string): string[] =>
  textOf(form, name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** JSON as it is read; what is none is left for the service to judge as a text. */
function objectIn(form: FormData, name: string): Json {
  const text = textOf(form, name)
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return text as unknown as Json
  }
}
