import { Select, Textarea, TextInput } from '@mantine/core'
import type { Freeze } from '@sluice/contract'
import { useContext } from 'react'
import { useWhole } from '../api/use-pages.ts'
import { FormFaults } from '../ui/forms/form-faults.ts'
import { textOf } from '../ui/forms/form-modal.tsx'

/** Instance or pipeline that can be overridden for. */
export type Named = { id: string; name: string }

type Place = Pick<Freeze, 'projectId' | 'environmentId' | 'moduleInstanceId'>

const everything = { value: 'all', label: 'Everything that it blocks' }

/** Selects the page's record or everything. */
export const OneOrAll = ({ one: { id, name } }: { one: Named }) => (
  <Select
    name="what"
    label="Scope"
    data={[{ value: id, label: `Only ${name}` }, everything]}
    defaultValue={id}
    allowDeselect={false}
  />
)

/** Selects an instance in the scope of a rule, or everything. */
export const AnyOrAll = ({ place: { projectId, environmentId, moduleInstanceId } }: { place: Place }) => {
  const within = {
    ...(projectId !== undefined && { projectId }),
    ...(environmentId !== undefined && { environmentId }),
  }
  const instances = useWhole('listModuleInstances', within).data ?? []
  const environments = useWhole('listEnvironments', { limit: 100 }).data ?? []
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
export const AnyPipelineOrAll = ({ place: { projectId } }: { place: Place }) => {
  const pipelines = useWhole('listPipelines', projectId === undefined ? {} : { projectId }).data ?? []
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
export const ReasonAndMinutes = () => {
  const faults = useContext(FormFaults)
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
export function givenIn<Of extends 'moduleInstanceId' | 'pipelineId'>(form: FormData, of: Of) {
  const what = textOf(form, 'what')
  const named: { [Id in Of]?: string } = {}
  if (what !== everything.value) named[of] = what
  return { reason: textOf(form, 'reason'), minutes: Number(textOf(form, 'minutes')), ...named }
}
