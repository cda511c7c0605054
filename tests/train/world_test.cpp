// Which process of a job this is, by what launchers put into the environment.
#include "train/parallel/world.h"

#include <gtest/gtest.h>

#include <map>

#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

World world_of(const std::map<std::string, std::string>& variables) {
  return find_world([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(World, WithoutALauncherAProcessIsAlone) {
  EXPECT_EQ(world_of({}).size, 1);
  EXPECT_EQ(world_of({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}).size, 1)
      << "a batch script that starts no step";
}

TEST(World, TorchrunNamesEverything) {
  const World world = world_of({{"RANK", "5"},
                                {"WORLD_SIZE", "8"},
                                {"LOCAL_RANK", "1"},
                                {"LOCAL_WORLD_SIZE", "4"},
                                {"MASTER_ADDR", "node1"},
                                {"MASTER_PORT", "1234"}});
  EXPECT_EQ(world.rank, 5);
  EXPECT_EQ(world.size, 8);
  EXPECT_EQ(world.local_rank, 1);
  EXPECT_EQ(world.local_size, 4);
  EXPECT_EQ(world.address, "node1");
  EXPECT_EQ(world.port, 1234);
}

TEST(World, OpenMpiOnOneMachineNeedsNoAddress) {
  const World world = world_of({{"OMPI_COMM_WORLD_RANK", "1"},
                                {"OMPI_COMM_WORLD_SIZE", "2"},
                                {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  EXPECT_EQ(world.rank, 1);
  EXPECT_EQ(world.address, "127.0.0.1");
}

TEST(World, AJobOverMachinesMustSayWhereItsFirstProcessIs) {
  expect_error(ErrorCode::usage, "set MASTER_ADDR", [] {
    world_of({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "2"}});
  });
}

TEST(World, SlurmsStepTellsTheFirstMachineAndAPortOfTheJob) {
  const World world = world_of({{"SLURM_STEP_NUM_TASKS", "6"},
                                {"SLURM_PROCID", "4"},
                                {"SLURM_LOCALID", "0"},
                                {"SLURM_STEP_TASKS_PER_NODE", "4,2"},
                                {"SLURM_STEP_NODELIST", "gpu[03-04]"},
                                {"SLURM_JOB_ID", "123456"}});
  EXPECT_EQ(world.size, 6);
  EXPECT_EQ(world.local_size, 4);
  EXPECT_EQ(world.address, "gpu03");
  EXPECT_EQ(world.port, 23456);
}

TEST(World, NumbersAreChecked) {
  expect_error(ErrorCode::usage, "RANK=one is not a count", [] {
    world_of({{"RANK", "one"}, {"WORLD_SIZE", "2"}});
  });
  expect_error(ErrorCode::usage, "RANK=2 is not below WORLD_SIZE=2", [] {
    world_of({{"RANK", "2"}, {"WORLD_SIZE", "2"}});
  });
  expect_error(ErrorCode::usage, "MASTER_PORT=0 is not a port", [] {
    world_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "0"}});
  });
}

TEST(World, TheFirstOfANodeListIsFound) {
  EXPECT_EQ(first_host("login"), "login");
  EXPECT_EQ(first_host("a1,b[2-3]"), "a1");
  EXPECT_EQ(first_host("gpu[003-007,9],login"), "gpu003");
  EXPECT_EQ(first_host("n[7]"), "n7");
}

}  // namespace
}  // namespace headroom
