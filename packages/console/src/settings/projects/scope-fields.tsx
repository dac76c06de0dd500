import { Select } from '@mantine/core'
import { useContext, useState } from 'react'
import { useCompleteList } from '../../api/use-pages.ts'
import { textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import type { Level } from './levels.ts'

export type ScopeFieldsProps = {
  levels: readonly Level[]
  /** Preselected level. */
  level: Level | undefined
}

/** Fields for the scope of a rule: organization, project, environment or instance. */
export const ScopeFields = ({ levels, level }: ScopeFieldsProps) => {
  const [chosen, choose] = useState(level?.parentId ?? levels[0]?.parentId ?? null)
  const faults = useContext(FormProblems)
  const isEnvironment = levels.some(({ parentId, parentType }) => parentId === chosen && parentType === 'environment')
  return (
    <>
      <Select
        name="place"
        label="Scope"
        data={levels.map(({ parentId, parentType, name }) => ({ value: parentId, label: `${name} (${parentType})` }))}
        value={chosen}
        onChange={choose}
        allowDeselect={false}
        searchable
        error={faults.projectId ?? faults.environmentId}
      />
      {isEnvironment && chosen !== null && <OnlyInstance key={chosen} environmentId={chosen} />}
    </>
  )
}

const OnlyInstance = ({ environmentId }: { environmentId: string }) => {
  const instances = useCompleteList('listModuleInstances', { environmentId, limit: 100 }).data ?? []
  const faults = useContext(FormProblems)
  return (
    <Select
      name="moduleInstanceId"
      label="Module instance"
      placeholder="All in the environment"
      data={instances.map(({ id, name }) => ({ value: id, label: name }))}
      clearable
      searchable
      limit={100}
      error={faults.moduleInstanceId}
    />
  )
}

/** Returns the scope from form values. */
export function scopeFromForm(form: FormData, levels: readonly Level[]) {
  const place = textFieldValue(form, 'place')
  const instance = textFieldValue(form, 'moduleInstanceId')
  if (instance !== '') return { moduleInstanceId: instance }
  const level = levels.find(({ parentId }) => parentId === place)
  if (level?.parentType === 'environment') return { environmentId: place }
  return level?.parentType === 'project' ? { projectId: place } : {}
}
