// SPDX-License-Identifier: Apache-2.0
//
// The programs that tests run as replicas, in one: `train-replica NAME ARGUMENTS`, and `train-replica start`
// (starter.h). Each is called as a main function is, with its name as the first of the arguments.
#pragma once

namespace batchscope::testing {

namespace accumulator_program {
int run(int count, char** arguments);
}
namespace adascale_replica {
int run(int count, char** arguments);
}
namespace collective_replica {
int run(int count, char** arguments);
}
namespace loop_program {
int run(int count, char** arguments);
}
namespace noise_replica {
int run(int count, char** arguments);
}
namespace own_loader_program {
int run(int count, char** arguments);
}
namespace parallel_replica {
int run(int count, char** arguments);
}
namespace precision_replica {
int run(int count, char** arguments);
}
namespace regression_program {
int run(int count, char** arguments);
}
namespace training_program {
int run(int count, char** arguments);
}

}  // namespace batchscope::testing
