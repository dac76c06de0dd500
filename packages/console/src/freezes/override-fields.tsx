import { Select, Textarea, TextInput } from '@mantine/core'
import type { Freeze } from '@sluice/contract'
import { useContext } from 'react'
import { useCompleteList } from '../api/use-pages.ts'
import { textFieldValue } from '../ui/forms/form-modal.tsx'
import { FormProblems } from '../ui/forms/form-problems.ts'

/** Instance or pipeline that can be overridden for. */
export type NamedRecord = { id: string; name: string }

type Scope = Pick<Freeze, 'projectId' | 'environmentId' | 'moduleInstanceId'>

const everything = { value: 'all', label: 'Everything that it blocks' }

/** Selects the page's record or everything. */
export const RecordOrAll = ({ one: { id, name } }: { one: NamedRecord }) => (
  <Select
    name="what"
    label="Scope"
    data={[{ value: id, label: `Only ${name}` }, everything]}
    defaultValue={id}
    allowDeselect={false}
  />
)

/** Selects an instance in the scope of a rule, or everything. */
export const InstanceOrAll = ({ scope: { projectId, environmentId, moduleInstanceId } }: { scope: Scope }) => {
  const within = {
    ...(projectId !== undefined && { projectId }),
    ...(environmentId !== undefined && { environmentId }),
  }
  const instances = useCompleteList('listModuleInstances', within).data ?? []
  const environments = useCompleteList('listEnvironments', { limit: 100 }).data ?? []
  const environmentOf = (id: string) => environments.find((one) => one.id === id)?.name
  const choices = instances
    .filter(({ id }) => moduleInstanceId === undefined || id === moduleInstanceId)
    .map((one) => ({
      value: one.id,
      label: [one.name, environmentOf(one.environmentId)].filter(Boolean).join(' · '),
    }))
  return (
    <Select
      name="what"
      label="Scope"
      data={[everything, ...choices]}
      defaultValue={everything.value}
      allowDeselect={false}
      searchable
      limit={100}
    />
  )
}

/** Selects a pipeline in the scope of a policy, or everything. */
export const PipelineOrAll = ({ scope: { projectId } }: { scope: Scope }) => {
  const pipelines = useCompleteList('listPipelines', projectId === undefined ? {} : { projectId }).data ?? []
  const choices = pipelines.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Select
      name="what"
      label="Scope"
      data={[everything, ...choices]}
      defaultValue={everything.value}
      allowDeselect={false}
      searchable
      limit={100}
    />
  )
}

/** Fields for the reason and the duration. */
export const ReasonAndDuration = () => {
  const faults = useContext(FormProblems)
  return (
    <>
      <Textarea
        name="reason"
        label="Reason"
        description="Recorded in the audit log."
        autosize
        minRows={2}
        maxLength={500}
        required
        data-autofocus
        error={faults.reason}
      />
      <TextInput
        type="number"
        name="minutes"
        label="Duration (minutes)"
        description="1440 (one day) at most."
        min={1}
        max={1440}
        defaultValue={60}
        required
        error={faults.minutes}
      />
    </>
  )
}

/** Returns the request body of an override. `of` is the ID field of the selected record. */
export function overrideFromForm<Of extends 'moduleInstanceId' | 'pipelineId'>(form: FormData, of: Of) {
  const what = textFieldValue(form, 'what')
  const named: { [Id in Of]?: string } = {}
  if (what !== everything.value) named[of] = what
  return { reason: textFieldValue(form, 'reason'), minutes: Number(textFieldValue(form, 'minutes')), ...named }
}
