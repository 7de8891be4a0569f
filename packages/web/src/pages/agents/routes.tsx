import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'
import {
  readAgentsSearch,
  readCheckpointSearch,
  readTraceSearch,
  readViolationSearch,
  textOf,
} from './search.ts'

const console = () => consoleRoute

const agentRoute = createRoute({
  getParentRoute: console,
  path: '/agents/$agentId',
  component: lazyRouteComponent(() => import('./agent-layout.tsx'), 'AgentLayout'),
})

const agent = () => agentRoute

const tabs = [
  createRoute({
    getParentRoute: agent,
    path: '/',
    component: lazyRouteComponent(() => import('./agent-overview.tsx'), 'AgentOverview'),
  }),
  createRoute({
    getParentRoute: agent,
    path: '/sessions',
    component: lazyRouteComponent(() => import('./sessions-tab.tsx'), 'SessionsTab'),
    validateSearch: (search) => ({ session_id: textOf(search['session_id']) }),
  }),
  createRoute({
    getParentRoute: agent,
    path: '/checkpoints',
    component: lazyRouteComponent(() => import('./checkpoints-tab.tsx'), 'CheckpointsTab'),
    validateSearch: readCheckpointSearch,
  }),
  createRoute({
    getParentRoute: agent,
    path: '/checkpoints/$checkpointId',
    component: lazyRouteComponent(() => import('./checkpoint-page.tsx'), 'CheckpointPage'),
  }),
  createRoute({
    getParentRoute: agent,
    path: '/traces',
    component: lazyRouteComponent(() => import('./traces-tab.tsx'), 'TracesTab'),
    validateSearch: readTraceSearch,
  }),
  createRoute({
    getParentRoute: agent,
    path: '/traces/$traceId',
    component: lazyRouteComponent(() => import('./trace-page.tsx'), 'TracePage'),
  }),
  createRoute({
    getParentRoute: agent,
    path: '/violations',
    component: lazyRouteComponent(() => import('./violations-tab.tsx'), 'ViolationsTab'),
    validateSearch: readViolationSearch,
  }),
  createRoute({
    getParentRoute: agent,
    path: '/drift',
    component: lazyRouteComponent(() => import('./drift-tab.tsx'), 'DriftTab'),
  }),
  createRoute({
    getParentRoute: agent,
    path: '/card',
    component: lazyRouteComponent(() => import('./card-tab.tsx'), 'CardTab'),
  }),
  createRoute({
    getParentRoute: agent,
    path: '/simulator',
    component: lazyRouteComponent(() => import('./simulator-tab.tsx'), 'SimulatorTab'),
  }),
  createRoute({
    getParentRoute: agent,
    path: '/tools',
    component: lazyRouteComponent(() => import('./tools-tab.tsx'), 'ToolsTab'),
  }),
  createRoute({
    getParentRoute: agent,
    path: '/connections',
    component: lazyRouteComponent(() => import('./connections-tab.tsx'), 'ConnectionsTab'),
  }),
  createRoute({
    getParentRoute: agent,
    path: '/control',
    component: lazyRouteComponent(() => import('./control-tab.tsx'), 'ControlTab'),
  }),
] as const

export const agentRoutes = [
  createRoute({
    getParentRoute: console,
    path: '/agents',
    component: lazyRouteComponent(() => import('./agents-page.tsx'), 'AgentsPage'),
    validateSearch: readAgentsSearch,
  }),
  createRoute({
    getParentRoute: console,
    path: '/agents/new',
    component: lazyRouteComponent(() => import('./register-page.tsx'), 'RegisterPage'),
  }),
  agentRoute.addChildren(tabs),
] as const
