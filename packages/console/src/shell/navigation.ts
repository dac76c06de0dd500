import {
  IconActivity,
  IconBox,
  IconChartLine,
  IconGauge,
  IconLayoutGrid,
  IconPackage,
  IconRocket,
  IconRoute,
  IconSettings,
} from '../ui/icons.tsx'

/** Main navigation, with the paths that belong to each entry. */
export const navigation = [
  { to: '/', label: 'Overview', Icon: IconGauge, covers: /^\/$/ },
  { to: '/console/projects', label: 'Projects', Icon: IconLayoutGrid, covers: /^\/console\/projects/ },
  { to: '/console/environments', label: 'Environments', Icon: IconBox, covers: /^\/console\/(environments|instances)/ },
  { to: '/console/deployments', label: 'Deployments', Icon: IconRocket, covers: /^\/console\/deployments/ },
  { to: '/console/activity', label: 'Activity', Icon: IconActivity, covers: /^\/console\/activity/ },
  { to: '/console/pipelines', label: 'Pipelines', Icon: IconRoute, covers: /^\/console\/(pipelines|runs)/ },
  { to: '/console/modules', label: 'Modules', Icon: IconPackage, covers: /^\/console\/modules/ },
  { to: '/console/reports', label: 'Reports', Icon: IconChartLine, covers: /^\/console\/reports/ },
  { to: '/console/settings', label: 'Settings', Icon: IconSettings, covers: /^\/console\/settings/ },
] as const
