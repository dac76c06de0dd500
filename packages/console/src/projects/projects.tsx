import { Stack, Text } from '@mantine/core'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { usePages } from '../api/use-pages.ts'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { Pages } from '../ui/tables/pages.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { NewProject } from './new-project.tsx'

/** Lists all projects; opens the only one if there is just one. */
export const Projects = () => {
  const projects = usePages('listProjects', { limit: 100 })
  const navigate = useNavigate()
  const show = (id: string) => navigate({ to: '/console/projects/$id', params: { id } })
  const [only, ...others] = projects.data?.pages[0]?.data ?? []
  if (only && others.length === 0) return <Navigate to="/console/projects/$id" params={{ id: only.id }} replace />
  return (
    <Stack gap="lg" maw={960}>
      <PageTitle title="Projects" aside={<NewProject onMade={show} />} />
      <Pages
        of={projects}
        empty={<Notice title="No projects yet">A project contains environments, which contain your services.</Notice>}
      >
        {({ id, name, description }) => (
          <Stack gap={2} py="xs">
            <TextLink to="/console/projects/$id" params={{ id }} fw={600}>
              {name}
            </TextLink>
            {description && (
              <Text size="sm" c="dimmed">
                {description}
              </Text>
            )}
          </Stack>
        )}
      </Pages>
    </Stack>
  )
}
