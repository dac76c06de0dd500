import { Stack } from '@mantine/core'
import { useCompleteList } from '../../api/use-pages.ts'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { ScopeAccess } from './scope-access.tsx'
import { Teams } from './teams.tsx'
import { usePrincipals } from './use-principals.ts'

/** Manages teams and roles on projects and environments. */
export const Access = () => {
  const projects = useCompleteList('listProjects', {})
  const principals = usePrincipals()
  return (
    <Stack gap="lg">
      <Teams principals={principals} />
      <QueryResult of={projects}>
        {(all) =>
          all.length === 0 ? (
            <Notice title="No projects yet">Create a project to grant roles on it.</Notice>
          ) : (
            all.map((project) => <ScopeAccess key={project.id} project={project} principals={principals} />)
          )
        }
      </QueryResult>
    </Stack>
  )
}
