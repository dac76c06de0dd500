import { Stack } from '@mantine/core'
import { useWhole } from '../../api/use-pages.ts'
import { Answer } from '../../ui/answer.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PlaceAccess } from './scope-access.tsx'
import { Teams } from './teams.tsx'
import { usePrincipals } from './use-principals.ts'

/** Manages teams and roles on projects and environments. */
export const Access = () => {
  const projects = useWhole('listProjects', {})
  const principals = usePrincipals()
  return (
    <Stack gap="lg">
      <Teams principals={principals} />
      <Answer of={projects}>
        {(all) =>
          all.length === 0 ? (
            <Notice title="No projects yet">Create a project to grant roles on it.</Notice>
          ) : (
            all.map((project) => <PlaceAccess key={project.id} project={project} principals={principals} />)
          )
        }
      </Answer>
    </Stack>
  )
}
