import { Group, MultiSelect, Stack } from '@mantine/core'
import type { ModuleInstanceStatus } from '@sluice/contract'
import { useState } from 'react'
import { useWhole } from '../api/use-pages.ts'
import { Answer } from '../ui/answer.tsx'
import { moveAmongCards } from '../ui/arrow-keys.ts'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { EnvironmentSection } from './environment-section.tsx'
import { NewEnvironment } from './new-environment.tsx'

const statuses: readonly ModuleInstanceStatus[] = ['PENDING', 'ACTIVE', 'UPDATING', 'ERROR', 'DESTROYING']

/** Every environment with what stands in it. */
export const Environments = () => {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<string[]>([])
  const environments = useWhole('listEnvironments', { limit: 100 })
  const projects = useWhole('listProjects', { limit: 100 })
  const wanted = { text: text.trim().toLowerCase(), statuses: chosen as ModuleInstanceStatus[] }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrows move among the links inside, which are reachable without
    <div onKeyDown={moveAmongCards}>
      <Stack gap="lg">
        <PageTitle
          title="Environments"
          aside={
            <Group gap="sm">
              <MultiSelect
                aria-label="Only with the status"
                placeholder={chosen.length === 0 ? 'Any status' : ''}
                data={statuses.map((status) => ({ value: status, label: titled(status) }))}
                value={chosen}
                onChange={setChosen}
                clearable
                w={200}
              />
              <SearchInput label="Search module instances" placeholder="Name or type" value={text} onChange={setText} />
              <NewEnvironment />
            </Group>
          }
        />
        <Answer of={environments}>
          {(data) =>
            data.length === 0 ? (
              <Notice title="There is no environment yet">
                An environment is a place in a project, such as production.
              </Notice>
            ) : (
              data.map((environment) => (
                <EnvironmentSection
                  key={environment.id}
                  environment={environment}
                  project={projects.data?.find(({ id }) => id === environment.projectId)?.name}
                  wanted={wanted}
                />
              ))
            )
          }
        </Answer>
      </Stack>
    </div>
  )
}

const titled = (status: string): string => status.charAt(0) + status.slice(1).toLowerCase()
